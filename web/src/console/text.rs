//! The console's words, one table for each language. A sentence about a fault says what it is and
//! what to do; where it stands is shown by its place and its underline.

use super::fault::{Open, Place, Trouble};

type Text = &'static str;

/// What the console says, in one language.
pub struct ConsoleWords {
    pub heading: Text,
    pub command_for: fn(&str) -> String,
    pub placeholder: Text,
    pub send: Text,
    pub cancel: Text,
    pub copy: Text,
    pub empty: Text,
    pub place: fn(Place) -> String,
    pub trouble: fn(&Trouble) -> String,
    /// Beside a name without a value: fill it with the actor's session.
    pub use_session: fn(&str) -> String,
    pub kept: fn(&str, &str) -> String,
    pub status: fn(u16, &str) -> String,
    pub no_body: Text,
    pub bytes: fn(usize) -> String,
    pub decoded: Text,
    /// How long a blocking query has waited, in seconds.
    pub pending: fn(&str) -> String,
    pub queued: Text,
    pub cancelled: Text,
    /// Under the 405 that a body without a method gets.
    pub body_makes_post: Text,
    pub help: &'static [(Text, Text)],
}

pub const ENGLISH: ConsoleWords = ConsoleWords {
    heading: "Console",
    command_for: |actor| format!("Command for {actor}"),
    placeholder: "curl",
    send: "Send",
    cancel: "Cancel",
    copy: "Copy the last command",
    empty: "Paste a guide's curl commands here, or type help.",
    place: |place| format!("line {}, column {}", place.line, place.column),
    trouble: english,
    use_session: |name| format!("Use the session as {name}"),
    kept: |name, value| format!("{name} is now {value}"),
    status: |status, phrase| format!("{status} {phrase}").trim_end().to_owned(),
    no_body: "no body",
    bytes: |length| format!("{length} bytes that are not text"),
    decoded: "Values in base64, decoded:",
    pending: |seconds| format!("waiting for a change, {seconds} s so far"),
    queued: "runs when the command before it is answered",
    cancelled: "cancelled before an answer",
    body_makes_post: "curl sends POST when there is a body. Consul wants PUT here: add -X PUT.",
    help: &[
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "Any host and port is this server. \
          Options: -X -d -H -G -I -i -v --json --url, and those that change nothing here, such \
           as -s.",
        ),
        (
            "PUT /v1/kv/a?acquire=<session> text",
            "The short form. The body stands behind the address or on \
          the lines below it.",
        ),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "A variable takes the ID of an \
          answer, or its whole body, or a text.",
        ),
        (
            "$s1  ${s1}  <s1>",
            "Filled in everywhere. Unlike in a shell this includes single quotes; \
          \\$ outside of quotes, or $'\\x24' and $'\\x3c', keep the character.",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "Known from the answers \
          that the actor got. What you assign wins.",
        ),
    ],
};

fn english(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Unfinished(Open::SingleQuote) => "This single quote is never closed.".into(),
        Trouble::Unfinished(Open::DoubleQuote) => "This double quote is never closed.".into(),
        Trouble::Unfinished(Open::Bracket) => "This bracket is never closed.".into(),
        Trouble::Unfinished(Open::Line) => {
            "The line goes on behind the backslash, but nothing follows.".into()
        }
        Trouble::TooLong => "This is more than the console reads at once. Send it in parts.".into(),
        Trouble::Pipe => {
            "There are no pipes here, as there are no other programs. Leave it out; answers are \
             pretty-printed anyway."
                .into()
        }
        Trouble::Redirect => {
            "There are no files here, so nothing can be redirected. If a name is meant, write \
             <name> \
             without blanks at its ends."
                .into()
        }
        Trouble::Background => {
            "Nothing runs in the background here; a blocking query waits beside you by itself. \
             If & \
             belongs to the address, let no blank stand beside it."
                .into()
        }
        Trouble::OrElse => "|| has no meaning here. Put each command on its own line.".into(),
        Trouble::Substitution => {
            "Only name=$(curl ...) takes an answer, and only $name, ${name} and <name> are \
             filled in. \
             Take the answer first, then use its name."
                .into()
        }
        Trouble::CurlyQuote => "This is a printed quote. Use a straight one: ' or \".".into(),
        Trouble::NotText => "These bytes are not UTF-8 text, and the console sends only \
         text."
            .into(),
        Trouble::AfterBracket => {
            "One command stands in the brackets and nothing behind them. Put the next one on its \
             own \
             line."
                .into()
        }
        Trouble::SeveralValues => {
            "name=value takes one word. Quote a value with blanks, and put a command on its own \
             line."
                .into()
        }
        Trouble::UnknownProgram(program) => format!(
            "{program} is not known here. Begin with curl, or with a method and a path as in \
             GET /v1/kv/a."
        ),
        Trouble::ConsulProgram => {
            "The consul program is not here. Its HTTP calls are: PUT /v1/kv/a text, GET \
             /v1/kv/a."
                .into()
        }
        Trouble::UnknownOption(option) => {
            format!("curl's {option} is not supported here. Leave it out.")
        }
        Trouble::ValueMissing(option) => format!("{option} needs a value behind it."),
        Trouble::File => {
            "@ names a file, and there are none here. Put the text itself in quotes, or use \
             --data-raw \
             if it begins with @."
                .into()
        }
        Trouble::NoCommand => "Here a command is missing.".into(),
        Trouble::NoAddress => {
            "The address is missing, as in http://localhost:8500/v1/kv/a or /v1/kv/a.".into()
        }
        Trouble::SecondAddress(text) => format!(
            "{text} would be a second address, and there is one for each command. Put quotes \
             around a \
             body with blanks."
        ),
        Trouble::Scheme(scheme) => format!("{scheme} is not spoken here, only http and https."),
        Trouble::Header => "A header is written as 'Name: value'.".into(),
        Trouble::Method => "A method is one word of letters, such as PUT.".into(),
        Trouble::NoValue(name) => {
            let name_to_assign = assignable(name);
            format!(
                "{name} has no value yet, so nothing was sent. Assign one: {name_to_assign}=..."
            )
        }
    }
}

pub const CHINESE: ConsoleWords = ConsoleWords {
    heading: "控制台",
    command_for: |actor| format!("{actor} 的命令"),
    placeholder: "curl",
    send: "发送",
    cancel: "取消",
    copy: "复制上一条命令",
    empty: "把指南里的 curl 命令粘贴到这里，或输入 help。",
    place: |place| format!("第 {} 行第 {} 列", place.line, place.column),
    trouble: chinese,
    use_session: |name| format!("用当前会话作为 {name}"),
    kept: |name, value| format!("{name} 现在是 {value}"),
    status: |status, phrase| format!("{status} {phrase}").trim_end().to_owned(),
    no_body: "没有正文",
    bytes: |length| format!("{length} 个字节，不是文本"),
    decoded: "Base64 值解码后：",
    pending: |seconds| format!("正在等待变化，已 {seconds} 秒"),
    queued: "前一条命令得到回答后运行",
    cancelled: "在得到回答前已取消",
    body_makes_post: "有正文时 curl 会发送 POST。这里 Consul 需要 PUT：请加上 -X PUT。",
    help: &[
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "任何主机和端口都指向这台服务器。\
          选项：-X -d -H -G -I -i -v --json --url，以及在这里不起作用的选项，如 -s。",
        ),
        ("PUT /v1/kv/a?acquire=<session> text", "简写形式。正文写在地址后面，或写在下面几行。"),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "变量取得回答中的 ID，\
          或整个正文，或一段文本。",
        ),
        (
            "$s1  ${s1}  <s1>",
            "在任何位置都会被替换。与 shell 不同，单引号内也会替换；\
          引号外的 \\$，或 $'\\x24' 和 $'\\x3c'，可保留该字符。",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "由该参与者得到的回答\
          得知。您自己的赋值优先。",
        ),
    ],
};

fn chinese(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Unfinished(Open::SingleQuote) => "这个单引号没有闭合。".into(),
        Trouble::Unfinished(Open::DoubleQuote) => "这个双引号没有闭合。".into(),
        Trouble::Unfinished(Open::Bracket) => "这个括号没有闭合。".into(),
        Trouble::Unfinished(Open::Line) => "反斜杠表示下一行继续，但后面没有内容。".into(),
        Trouble::TooLong => "内容过长，控制台无法一次读取。请分几次发送。".into(),
        Trouble::Pipe => "这里没有管道，因为没有其他程序。请去掉它；回答本来就会排版显示。".into(),
        Trouble::Redirect => {
            "这里没有文件，不能重定向。如果想写名称，请写成 <name>，两端不要有空格。".into()
        }
        Trouble::Background => {
            "这里没有后台运行；阻塞查询会自行等待。如果 & 属于地址，两边不要有空格。".into()
        }
        Trouble::OrElse => "|| 在这里没有意义。请让每条命令各占一行。".into(),
        Trouble::Substitution => {
            "只有 name=$(curl ...) 能取得回答，只有 $name、${name} 和 <name> 会被替换。请先取得回答，\
             再使用它的名称。"
                .into()
        }
        Trouble::CurlyQuote => "这是排版引号。请使用直引号：' 或 \"。".into(),
        Trouble::NotText => "这些字节不是 UTF-8 文本，而控制台只发送文本。".into(),
        Trouble::AfterBracket => "括号内只能有一条命令，括号后不能有内容。请把下一条命令另起一行。".into(),
        Trouble::SeveralValues => {
            "name=value 只接受一个词。含空格的值请加引号，命令请另起一行。".into()
        }
        Trouble::UnknownProgram(program) => format!(
            "这里没有 {program}。请以 curl 开头，或以方法和路径开头，例如 GET /v1/kv/a。"
        ),
        Trouble::ConsulProgram => {
            "这里没有 consul 程序。请使用它的 HTTP 调用：PUT /v1/kv/a text，GET /v1/kv/a。".into()
        }
        Trouble::UnknownOption(option) => format!("这里不支持 curl 的 {option}。请去掉它。"),
        Trouble::ValueMissing(option) => format!("{option} 后面需要一个值。"),
        Trouble::File => {
            "@ 表示文件，而这里没有文件。请把文本放在引号里；如果文本以 @ 开头，请用 --data-raw。".into()
        }
        Trouble::NoCommand => "这里缺少一条命令。".into(),
        Trouble::NoAddress => {
            "缺少地址，例如 http://localhost:8500/v1/kv/a 或 /v1/kv/a。".into()
        }
        Trouble::SecondAddress(text) => {
            format!("{text} 会成为第二个地址，而每条命令只有一个地址。含空格的正文请加引号。")
        }
        Trouble::Scheme(scheme) => format!("这里不支持 {scheme}，只支持 http 和 https。"),
        Trouble::Header => "请求头的写法是 'Name: value'。".into(),
        Trouble::Method => "方法是一个由字母组成的词，例如 PUT。".into(),
        Trouble::NoValue(name) => {
            format!("{name} 还没有值，所以什么也没有发送。请赋值：{}=...", assignable(name))
        }
    }
}

/// A name as it can stand before `=`.
fn assignable(name: &str) -> String {
    name.replace(' ', "-")
}
