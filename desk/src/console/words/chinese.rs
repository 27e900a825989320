//! The strings of the console and of the guide panel in Chinese.

use lictor_sim::{Cut, CutMode};
use lictor_view::format::clock;
use lictor_view::language::chinese::bytes_not_text;

use super::{GuideWords, Words, status};
use crate::console::{FilledValue, StepRole};
use crate::faults::{FaultKind, Obstacle};

pub(super) const WORDS: Words = Words {
    heading: "控制台",
    form: "命令格式",
    form_curl: "curl",
    form_http: "HTTP",
    copy: "复制上一条命令",
    command_for: |actor| format!("{actor} 的命令"),
    placeholder: "curl，或 help",
    send: "发送",
    cancel: "取消",
    empty: "把指南里的 curl 命令粘贴到这里。输入 help 查看还支持什么。",
    asked: |actor, at| format!("{actor}，{} 秒", clock(at)),
    status,
    answered: |at| format!("{} 秒时收到应答", clock(at)),
    bytes: bytes_not_text,
    decoded: |key| format!("{key} 的值："),
    kept: |name| format!("已存为 {name}"),
    pending: |seconds| format!("正在等待变化，已 {seconds} 秒"),
    cancelled: |at| format!("{} 秒时取消，未收到应答", clock(at)),
    failed: |at| format!("{} 秒时连接关闭，未收到应答", clock(at)),
    body_makes_post: "有正文时 curl 会发送 POST，而这里 Consul 需要 PUT：请加上 -X PUT。",
    redirected: |method, has_lost_body| {
        let written = "请求被重定向，这是随后的请求";
        match (method, has_lost_body) {
            (Some(method), true) => {
                format!("{written}：方法由 {method} 变为 GET，正文没有再发送。没有写入任何内容。")
            }
            (Some("DELETE"), false) => {
                format!("{written}：方法由 DELETE 变为 GET。没有删除任何内容。")
            }
            (Some(method), false) => format!("{written}：方法由 {method} 变为 GET。"),
            (None, true) => format!("{written}：不带正文，因为 curl 只发送一次正文。"),
            (None, false) => format!("{written}。"),
        }
    },
    use_session: |name| format!("用当前会话作为 {name}"),
    use_new_session: "创建会话并使用它",
    completions: "建议",
    help: [
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "任何主机和端口都指向这台服务器。选项：-X -d -T -H -G -I -L -i -v -w --json --url \
             --data-urlencode，以及在这里不起作用的选项，如 -s。",
        ),
        (
            "PUT /v1/kv/a?acquire=<session> text",
            "简写形式。正文写在地址后面，或写在下面几行；正文前可以有请求头和一个空行。",
        ),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "变量保存应答中的 ID、整个应答，或一段文本。",
        ),
        (
            "consul kv get db/a   id=$(curl ... | jq -r .ID)",
            "consul kv、consul version、jq（单独或带路径）和 -w '%{http_code}' 的输出与在 shell 中相同。管道后的其他程序会被略过。",
        ),
        (
            "cat > a.json <<END   curl -d @a.json ...   echo $s1",
            "文件是 cat 或 echo 在这里写入的内容；<<< 和 echo | 也能给出文本。发送请求并休眠的循环会作为程序运行。sleep 10 让 10 秒经过。",
        ),
        (
            "$s1   ${s1}   ${s1:-text}   <s1>   {{s1}}",
            "在任何位置都会被替换；与 shell 不同，单引号内也会替换。\
             $'\\x24' 和 $'\\x3c' 保留字符 $ 和 <。",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "取自该客户端收到的应答。你自己的赋值优先。",
        ),
        ("Tab   ↑ ↓   Esc", "采用建议；选择其他建议；关闭列表。"),
    ],
    place: |place| format!("第 {} 行第 {} 列：", place.line, place.column),
    open_single_quote: "这个单引号没有闭合。",
    open_double_quote: "这个双引号没有闭合。",
    open_bracket: "这个括号没有闭合。",
    open_line: "反斜杠表示这一行未完，但后面没有内容。",
    open_here_document: "缺少结束这段文本的那一行。",
    open_loop: "这个循环缺少 done。",
    too_long: "内容过长，控制台无法一次读取。请分几次发送。",
    pipe: "这里的管道可以从请求接到 jq 或其他程序，也可以从 echo、printf 或 cat 接到 curl 或 consul。",
    redirect: "这里只有 cat 和 echo 能写文件，例如 cat > body.json <<END；其他程序的输出只能进入 /dev/null。\
               占位符请写成 <name>，尖括号内两端不要有空格。",
    or_else: "Lictor 不会只在失败之后才运行 || 后面的命令。请让每条命令各占一行。",
    substitution: "这里只替换 $name、${name}、<name> 和含有一个请求的 $(...)，\
                   例如 acquire=$(curl -X PUT /v1/session/create | jq -r .ID)。",
    curly_quote: "这是排版引号。请使用直引号：' 或 \"。",
    dash: "这是破折号。选项应以连字符 - 开头。",
    shell_loop: "这里只能运行一种循环：发送一个请求，然后休眠；它会作为客户端的程序运行：\
                 while true; do curl ...; sleep 10; done",
    shell_if: "Lictor 不判断条件。if 和 fi 之间的命令可以单独发送。",
    shell_function: "Lictor 不调用函数。函数中的命令可以单独发送。",
    shell_test: "Lictor 不比较文本，所以这个条件在这里不起作用。",
    sleep_span: "sleep 后面是一个不超过一天的时间，例如 sleep 10 或 sleep 1m。",
    interrupted: "这条命令被 ^C 中断，因此没有发送任何内容。",
    address_blank: "curl 拒绝含有空格或换行的地址（URL rejected: Malformed input to a URL function）。空格请写成 %20。",
    not_text: "这些字节不是 UTF-8 文本，而控制台只发送文本。",
    after_bracket: "括号内只能有一条命令，括号后不能有内容。请把下一条命令另起一行。",
    several_values: "name=value 只接受一个词。含空格的值请加引号，命令请另起一行。",
    unknown_program: |program| {
        format!(
            "这里没有 {program}。请以 curl、consul kv 开头，或以方法和路径开头，例如 GET /v1/kv/a。"
        )
    },
    consul_program: "consul 程序在这里支持 kv get、kv put、kv delete、lock 和 version。其余请使用 HTTP 调用，\
                     例如 GET /v1/session/list。",
    consul_watch: "这里不能运行 consul watch。阻塞查询同样会等待变化：\
                   GET /v1/kv/a?index=<index>&wait=60s，其中索引是上次应答的 X-Consul-Index。",
    other_client: |[first, second, third]| {
        format!("Lictor 读取 curl、consul 和 HTTP，例如：{first}；{second}；{third}")
    },
    consul_session: |curl| format!("consul 程序没有 session 命令。可以用这条 curl 命令：{curl}"),
    inner_program: |brackets| {
        format!("这里不能运行 {brackets}，只能运行请求。请直接写出它的结果。")
    },
    argument: |name| format!("未发送：{name} 是脚本的参数。请直接写出它的值。"),
    skipped_pipe: |pipe| format!("已略过：{pipe}。这里显示整个应答。"),
    created_id: "管道不会在这里运行。它取出的就是新会话的 ID。",
    cut_off: |rest| {
        format!(
            "未加引号的 & 在 shell 中结束命令，所以 {rest} 不属于地址。要全部发送，请给地址加引号。"
        )
    },
    started: |program| format!("已作为 {program} 启动"),
    did_you_mean: |written, meant| format!("这里没有 {written}。你是不是想输入 {meant}？"),
    unknown_option: |option| format!("这里不支持 curl 的 {option}，也不会去掉它再发送请求。"),
    harmless_option: |option| format!("这里不支持 curl 的 {option}。它不改变请求，可以去掉。"),
    value_missing: |option| format!("{option} 后面需要一个值。"),
    file: "这里没有输入。请把文本写在命令下面，置于 <<END 和单独一行 END 之间，或放在引号里；如果文本以 @ \
           开头，请用 --data-raw。",
    no_command: "这里缺少一条命令。",
    no_client: "这个世界没有可以发送它的客户端：请先打开“在此操作”，点“添加”。",
    no_address: "缺少地址，例如 http://localhost:8500/v1/kv/a 或 /v1/kv/a。",
    second_address: |text| {
        format!("{text} 会成为第二个地址，而每条命令只有一个地址。含空格的正文请加引号。")
    },
    pattern: "curl 把地址里的花括号和方括号当作模式，Lictor 不这样做。加上 -g 就是普通文本；要用几个地址，请写几条命令。",
    scheme: |scheme| format!("这里不支持 {scheme}，只支持 http 和 https。"),
    header: "请求头的写法是 'Name: value'。",
    method: "方法是一个由字母组成的词，例如 PUT。",
    head_with_body: "-I 要求 HEAD，curl 不会随它发送请求体：请去掉其中一个。",
    no_session: "未发送：该客户端还没有会话。请先创建一个。",
    no_value: |name, word| format!("未发送：{name} 还没有值。请为它赋值：{word}=..."),
    no_file: |file| {
        format!(
            "未发送：这里没有文件 {file}。请先写入，例如 cat > {file} <<END，或把它拖放到控制台的 -d 之后。"
        )
    },
    sender_fault: |name, obstacle| match obstacle {
        Obstacle::Crash => format!("{name} 已崩溃，不能发送。"),
        Obstacle::Pause => format!("{name} 已冻结，不能发送。"),
        Obstacle::Cut(Cut { mode: CutMode::NoNeighbour, .. }) => {
            format!("{name} 与服务器的网络已断开，请求 2 秒后失败。")
        }
        Obstacle::Cut(cut) if !cut.refuses() => {
            format!("{name} 与服务器的网络已断开，断网期间收不到应答。")
        }
        Obstacle::Cut(_) => format!("{name} 与服务器的网络已断开，请求立即失败。"),
    },
    end_fault: |name, fault| match fault {
        FaultKind::Crash => format!("重启 {name}"),
        FaultKind::Pause => format!("恢复 {name}"),
        FaultKind::Cut => format!("重新连接 {name}"),
        FaultKind::SlowClock => format!("校正 {name} 的时钟"),
    },
};

pub(super) const GUIDE: GuideWords = GuideWords {
    heading: "你的指南",
    found: |commands, lines, samples| {
        let left_out = match samples {
            0 => "正文已略去".to_owned(),
            _ => format!("正文和 {samples} 段 JSON 示例已略去"),
        };
        format!("在 {lines} 行中找到 {commands} 条命令；{left_out}")
    },
    left_out: |commands| format!("略去 {commands} 条命令"),
    line: |line| format!("第 {line} 行"),
    paste_here: "粘贴命令或整篇指南，连同正文",
    find_commands: "查找命令",
    nothing_found: "没有找到命令。Lictor 可以读取 curl 和普通 HTTP，例如 PUT /v1/session/create。",
    show_text: "显示原文",
    paste_another: "粘贴另一份",
    asked_once: "只询问一次，用于所有步骤",
    body_is_sender: "发送者的名称",
    content_of: |file| format!("{file} 的内容"),
    session_of: |id| format!("{id} 是谁的会话"),
    as_written: "这里没有",
    session_of_step: |step| format!("发送者，由第 {step} 步创建"),
    nobody_has_id: "这里没有客户端有这个 ID：请在上方选择它是谁的会话。",
    nobody_has_node: "请去掉 \"Node\"，或写上这个世界里一个节点的名称。",
    step: |role| match role {
        StepRole::CreateSession => "创建会话",
        StepRole::RenewSession => "续期会话",
        StepRole::DestroySession => "销毁会话",
        StepRole::Acquire => "获取键",
        StepRole::Release => "释放键",
        StepRole::CreateLock => "创建用于协调的键",
        StepRole::TakeSlot => "占用一个名额",
        StepRole::ReleaseSlot => "释放名额",
        StepRole::Read => "读取状态",
        StepRole::Watch => "等待变化",
        StepRole::Delete => "删除键",
        StepRole::CheckAndSet => "索引相符时写入键",
        StepRole::WriteKey => "写入键",
        StepRole::Pass => "让时间经过",
        StepRole::Start => "启动程序",
        StepRole::Other => "发送请求",
    },
    from_text: "根据正文补充",
    completed: "已补全地址",
    from_step: |name, step| format!("{name}：来自第 {step} 步"),
    send_as: "发送者",
    send_step: |step| format!("发送第 {step} 步"),
    send_all: |first, last| format!("发送第 {first} 至 {last} 步"),
    send_all_hint: |first, last| {
        format!("依次发送第 {first} 至 {last} 步，遇到 false 或缺少的值即停止")
    },
    send: "发送",
    again: "再次发送",
    filled_in: |values| {
        let described = values.iter().map(|value| match value {
            FilledValue::Session => "发送者的会话",
            FilledValue::Index => "上次读到的索引",
            FilledValue::Lock => "<lock> 为 <prefix>/.lock",
            FilledValue::Document => "其正文由持有者列表组成",
        });
        format!("自动填入：{}", described.collect::<Vec<_>>().join("，"))
    },
    each_step: "每一步之后经过 1 秒。",
    enter_above: |name| format!("{name} 没有值。请在上方输入。"),
    whole_number: "上限是从 1 开始的整数。",
    no_path: "前缀或键不能以斜杠开头，也不能含有空的部分、. 或 ..。",
    no_free_slot: |limit, watch| {
        let next = watch.map(|step| format!("请继续监视，即第 {step} 步。"));
        format!("没有空闲名额：{limit} 个名额都由有效会话持有。{}", next.unwrap_or_default())
    },
    no_slot_held: "发送者没有可以释放的名额。",
    reason_and_next: |reason, next| format!("{reason}。{next}"),
    read_again: |step| format!("请重新读取：第 {step} 步。"),
    held_already: "发送者已持有一个名额：这会再次写入相同的持有者。",
    holders: |limit, holders| match holders {
        "" => format!("上限 {limit}，无持有者"),
        _ => format!("上限 {limit}，持有者 {holders}"),
    },
    waits: "等待变化",
    no_answer: "尚无应答",
    at: |at| format!("{} 秒", clock(at)),
    keys_read: |count, index| {
        if index.is_empty() {
            format!("{count} 个键")
        } else {
            format!("{count} 个键，索引 {index}")
        }
    },
    go_on: |step| format!("请继续第 {step} 步。"),
    open_as_guide: "作为指南打开",
    holds_commands: |count| format!("这段文字中有 {count} 条命令。"),
};
