//! The strings about faults, programs and the leader, in Chinese.

use lictor_sim::LeaderFate;
use lictor_view::format::clock;

use super::super::words::WorldWords;
use crate::faults::FailoverKind;

pub(super) const WORDS: WorldWords = WorldWords {
    pause: "冻结",
    pause_hint: "让进程停顿一段时间，如同长时间的垃圾回收",
    crash: "崩溃",
    crash_hint: "结束其程序；节点仍然健康",
    server: "服务器",
    leads: |index| format!("领导者，索引 {index}"),
    no_leader: |index| format!("没有领导者，索引 {index}"),
    failover: "故障转移",
    failover_hint: "使服务器失去领导者；下一台领导者让所有 TTL 重新完整计时",
    failover_options: "如何失去领导者",
    failover_kind_label: "发生什么",
    failover_kind: |kind| match kind {
        FailoverKind::Lost(LeaderFate::Killed) => "领导者被杀死",
        FailoverKind::Lost(LeaderFate::Cut) => "领导者被切断",
        FailoverKind::Lost(LeaderFate::Alone | LeaderFate::Restarted) => "唯一的服务器被杀死",
        FailoverKind::AtOnce => "立即换一台领导者",
    },
    failover_lasts: "持续时间",
    failover_random: "由种子决定",
    slow_clock: "慢时钟",
    slow_clock_hint: "让它的时钟以一半的速度运行",
    faults: "故障",
    until_pressed_again: "持续到手动结束",
    faults_of: |name| format!("{name} 的故障"),
    is_paused: "已冻结",
    is_down: "已崩溃",
    is_cut: "网络已断",
    is_cut_until: |at| format!("断网到 {} 秒", clock(at)),
    cut: "断网…",
    cut_hint: "切断它的网络：方式、方向、到何时为止；节点仍然健康",
    program: "程序…",
    program_state: state,
    believes: "自认为持有",
};

fn state(state: &'static str) -> &'static str {
    match state {
        "Idle" => "空闲",
        "CreatingSession" => "正在创建会话",
        "Watching" => "正在监视",
        "Acquiring" => "正在获取",
        "Rereading" => "正在重新读取",
        "BackingOff" => "等待重试",
        "Holding" => "持有中",
        "Lost" => "已失去锁",
        "Releasing" => "正在释放",
        "Inspecting" => "正在检查",
        "Removing" => "正在删除",
        "Enrolling" => "正在登记",
        "Surveying" => "正在查看持有者",
        "Claiming" => "正在争取名额",
        "Reading" => "正在读取",
        "Dropping" => "正在退出名单",
        "Leaving" => "正在离开",
        "Polling" => "正在轮询",
        "Pausing" => "间歇中",
        "Running" => "运行中",
        "Terminating" => "正在终止",
        "Cleaning" => "正在清理",
        "Exited" => "已退出",
        "Working" => "工作中",
        "Looking" => "正在查看",
        "Asking" => "正在请求",
        other => other,
    }
}
