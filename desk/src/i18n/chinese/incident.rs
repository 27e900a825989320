//! The strings of the incident panel in simplified Chinese.

use lictor_incident::TakenBy;

use super::super::incident_words::{IncidentWords, LiveWords};

pub(super) const WORDS: IncidentWords = IncidentWords {
    heading: "事故",
    hint: "粘贴真实 Consul 的列表和日志：谁能取得这个键，什么时候",
    first_visit: "粘贴一次事故",
    found: |keys, as_of, is_assumed| {
        let assumed = if is_assumed { "，此时刻为假设" } else { "" };
        format!("{keys} 个键，截至 {as_of}{assumed}（以下结论为英文）")
    },
    no_answer: |has_keys| {
        if has_keys {
            "这些列表中的键都没有被锁定或曾被锁定，也没有锁延迟或争用。"
        } else {
            "UNKNOWN；没有给出键的列表：不知道谁持有哪个键。"
        }
    },
    paste: "粘贴你手头的内容：会话列表、键、日志行。提示符和说明文字可以保留。",
    paste_more: "再添加列表、日志或解码后的快照",
    helps: "最有用的是：/v1/session/list 和 /v1/kv/?recurse 的应答，以及 leader 的调试日志。",
    collect: "收集这些内容的脚本",
    collect_hint: "保存为 collect.sh，在能访问代理的机器上运行，并给出相关键的前缀：\
                   ssh HOST sh -s jobs/ < collect.sh > incident.txt。然后在这里添加 incident.txt。\
                   脚本不会修改任何东西，也不会打印令牌。",
    private: "你粘贴的内容不会离开本页。",
    files: "添加文件",
    read: "读取",
    reading: "正在读取…",
    stop: "停止",
    remove: |name| format!("移除 {name}"),
    clock_offset: |name| format!("给 {name} 的时间加上的秒数（如果它的时钟慢了）"),
    use_offset: |seconds| format!("加 {seconds} 秒"),
    patterns: |name| format!("{name} 中应用程序写的行：模式；留空则不使用"),
    propose: "使用建议的模式",
    observed: "按时间顺序，输入显示了什么",
    failed: "读取失败：这是 Lictor 的错误，不是你的文本的问题。文本没有改变。",
    redact: "替换键值、令牌和地址，这样结论和世界就可以分享",
    asked: |session, times, last, in_vain| {
        let asked = if in_vain { "请求未成功" } else { "请求过" };
        format!("{asked}：{session}，{times} 次，最近一次 {last}")
    },
    picture: "观察到的",
    picture_hint: "文本所表明的内容；浅色是在没有人操作且 leader 不变时接下来会发生的。斜线：仅为可能。波浪\
                   边：没有文本给出这个开始或结束的界限。细线：没有人持有这个键。刻度：续期。锁下方的\
                   圆圈：对它的请求。叉：被拒绝的请求，以及结束。",
    more: |count, rest| format!("再显示 {count} 项，还有 {rest} 项"),
    missing: "还缺什么",
    shows: |what| format!("有了它就能知道：{what}"),
    lists: "各列表的获取时间",
    taken: |list, as_of, by| {
        let by = match by {
            TakenBy::Header => "由其 Date 头给出，精确到秒",
            TakenBy::HeaderAndLog => "由其 Date 头给出，精确到秒，并参照日志中的请求",
            TakenBy::Log => "由日志中的请求给出",
            TakenBy::Given => "由使用者给出",
            TakenBy::WithOthers => "假设：没有内容说明何时获取，按与另一列表同时计",
            TakenBy::EndOfLog => "假设：没有内容说明何时获取，按日志结束的时刻计",
            TakenBy::Now => "假设：没有内容说明何时获取，按此刻获取计。如果它更旧，一切都可能更早",
        };
        format!("{list}：{as_of}，{by}")
    },
    if_destroyed: "如果销毁会话",
    not_used: |lines| format!("{lines} 行未使用"),
    assumes: |count| format!("这个世界的假设（{count}）"),
    run_on: "从此刻继续",
    run_on_hint: "打开一个状态完全相同的世界，时间继续前进",
    no_world: |why| format!("无法从此刻建立世界：{why}"),
    no_reader: "本页读取事故的部分无法加载；保存为单个文件的页面没有它。在终端中，lictor-agent \
                incident 读取同样的文本。",
    read_as_incident: "作为事故读取",
    live: LIVE,
};

const LIVE: LiveWords = LiveWords {
    heading: "实时",
    hint: "在运行中的集群里，谁能取得这个键，什么时候",
    asks: "正在询问跟踪集群的程序…",
    no_program: "这里没有跟踪集群：只有由这条命令提供的页面才会跟踪集群。",
    waits: "程序还没有得到集群的应答。",
    gone: "跟踪集群的程序没有应答，所以显示的内容可能已过时。如果它已退出，请重新启动它，并打开它打印的地址。",
    refused: |reason| format!("跟踪集群的程序没有给出应答：{reason}。显示的内容可能已过时。"),
    follows: |what, address, has_log| {
        let log = if has_log {
            "并读取该代理的日志"
        } else {
            "没有日志，因此看不到续期"
        };
        format!("正在跟踪 {address} 上的 {what}，{log}。（以下结论为英文）")
    },
    answered: |at| format!("集群最近一次应答：{at}"),
    prefix: |prefix| format!("以 {prefix:?} 开头的键"),
    stale: |since, reason| match since {
        Some(since) => format!("自 {since} 起没有应答，显示的内容可能已过时：{reason}"),
        None => format!("还没有应答：{reason}"),
    },
    too_many: |keys, sessions| {
        format!(
            "该前缀有 {keys} 个键和 {sessions} 个持有键的会话，超过本页能显示的数量。请跟踪更长的前缀："
        )
    },
    smaller: |prefix, keys, sessions| format!("{prefix}：{keys} 个键，{sessions} 个会话"),
    lines: "程序的最后几行，最新的在前",
};
