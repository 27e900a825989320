//! The console's words in both languages. A sentence about a fault says what it is and what to do;
//! where it stands is shown by its place and its underline.

use lictor_core::time::Instant;

use super::Text;
use crate::console::{Open, Place, Trouble};
use crate::format::clock;

/// What the console says, in one language.
pub struct ConsoleWords {
    pub heading: Text,
    pub form: Text,
    pub form_curl: Text,
    pub form_http: Text,
    pub copy: Text,
    pub command_for: fn(&str) -> String,
    pub placeholder: Text,
    pub send: Text,
    pub cancel: Text,
    pub empty: Text,
    /// Who asked, and when.
    pub asked: fn(&str, Instant) -> String,
    /// The status line, with the index of the answer.
    pub status: fn(u16, &str, Option<&str>) -> String,
    pub answered: fn(Instant) -> String,
    pub bytes: fn(usize) -> String,
    /// Before the text of a value that the answer has in base64.
    pub decoded: fn(&str) -> String,
    pub kept: fn(&str) -> String,
    /// How long a blocking query has waited.
    pub pending: fn(&str) -> String,
    pub cancelled: fn(Instant) -> String,
    /// Under the 405 that a body without a method gets.
    pub body_makes_post: Text,
    /// Beside a name without a value: fill it with the actor's session.
    pub use_session: fn(&str) -> String,
    pub use_new_session: Text,
    /// The name of the list over the input.
    pub offers: Text,
    pub help: [(Text, Text); 6],

    pub place: fn(Place) -> String,
    pub open_single_quote: Text,
    pub open_double_quote: Text,
    pub open_bracket: Text,
    pub open_line: Text,
    pub too_long: Text,
    pub pipe: Text,
    pub redirect: Text,
    pub background: Text,
    pub or_else: Text,
    pub substitution: Text,
    pub curly_quote: Text,
    pub not_text: Text,
    pub after_bracket: Text,
    pub several_values: Text,
    pub unknown_program: fn(&str) -> String,
    pub consul_program: Text,
    pub unknown_option: fn(&str) -> String,
    pub value_missing: fn(&str) -> String,
    pub file: Text,
    pub no_command: Text,
    pub no_address: Text,
    pub second_address: fn(&str) -> String,
    pub scheme: fn(&str) -> String,
    pub header: Text,
    pub method: Text,
    pub no_session: Text,
    /// A name without a value, and the same name as it can stand before `=`.
    pub no_value: fn(&str, &str) -> String,
}

impl ConsoleWords {
    /// What is wrong, and what to do about it.
    pub fn trouble(&self, trouble: &Trouble) -> String {
        let fixed = match trouble {
            Trouble::Unfinished(Open::SingleQuote) => self.open_single_quote,
            Trouble::Unfinished(Open::DoubleQuote) => self.open_double_quote,
            Trouble::Unfinished(Open::Bracket) => self.open_bracket,
            Trouble::Unfinished(Open::Line) => self.open_line,
            Trouble::TooLong => self.too_long,
            Trouble::Pipe => self.pipe,
            Trouble::Redirect => self.redirect,
            Trouble::Background => self.background,
            Trouble::OrElse => self.or_else,
            Trouble::Substitution => self.substitution,
            Trouble::CurlyQuote => self.curly_quote,
            Trouble::NotText => self.not_text,
            Trouble::AfterBracket => self.after_bracket,
            Trouble::SeveralValues => self.several_values,
            Trouble::ConsulProgram => self.consul_program,
            Trouble::File => self.file,
            Trouble::NoCommand => self.no_command,
            Trouble::NoAddress => self.no_address,
            Trouble::Header => self.header,
            Trouble::Method => self.method,
            Trouble::NoValue(name) if name == "session" => self.no_session,
            Trouble::UnknownProgram(program) => return (self.unknown_program)(program),
            Trouble::UnknownOption(option) => return (self.unknown_option)(option),
            Trouble::ValueMissing(option) => return (self.value_missing)(option),
            Trouble::SecondAddress(text) => return (self.second_address)(text),
            Trouble::Scheme(scheme) => return (self.scheme)(scheme),
            Trouble::NoValue(name) => return (self.no_value)(name, &name.replace(' ', "-")),
        };
        fixed.to_owned()
    }
}

fn status(status: u16, phrase: &str, index: Option<&str>) -> String {
    let line = format!("{status} {phrase}");
    match index {
        Some(index) => format!("{} · X-Consul-Index {index}", line.trim_end()),
        None => line.trim_end().to_owned(),
    }
}

pub(super) const ENGLISH: ConsoleWords = ConsoleWords {
    heading: "Console",
    form: "Form of the commands",
    form_curl: "curl",
    form_http: "HTTP",
    copy: "Copy the last command",
    command_for: |actor| format!("Command for {actor}"),
    placeholder: "curl, or help",
    send: "Send",
    cancel: "Cancel",
    empty: "Paste the curl commands of a guide here. help tells what else is understood.",
    asked: |actor, at| format!("{actor} at {} s", clock(at)),
    status,
    answered: |at| format!("answered at {} s", clock(at)),
    bytes: |length| format!("{length} bytes that are not text"),
    decoded: |key| format!("Value of {key}:"),
    kept: |name| format!("kept as {name}"),
    pending: |seconds| format!("waits for a change, {seconds} s so far"),
    cancelled: |at| format!("given up at {} s, before an answer", clock(at)),
    body_makes_post: "curl sends POST when there is a body. Consul wants PUT here: add -X PUT.",
    use_session: |name| format!("Use the session as {name}"),
    use_new_session: "Create a session and use it",
    offers: "What fits here",
    help: [
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "Any host and port is this server. Options: -X -d -H -G -I -i -v --json --url, and \
             those that change nothing here, such as -s.",
        ),
        (
            "PUT /v1/kv/a?acquire=<session> text",
            "The short form. The body stands behind the address or on the lines below it.",
        ),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "A variable takes the ID of an answer, or its whole body, or a text.",
        ),
        (
            "$s1   ${s1}   <s1>",
            "Filled in everywhere; unlike in a shell, in single quotes too. $'\\x24' and $'\\x3c' \
             keep the characters $ and <.",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "Known from the answers that the actor got. What you assign wins.",
        ),
        ("Tab   ↑ ↓   Esc", "Takes what is offered; goes to another offer; closes the list."),
    ],
    place: |place| format!("Line {}, column {}:", place.line, place.column),
    open_single_quote: "This single quote is never closed.",
    open_double_quote: "This double quote is never closed.",
    open_bracket: "This bracket is never closed.",
    open_line: "A backslash says that the line goes on, but nothing follows.",
    too_long: "This is more than the console reads at once. Send it in parts.",
    pipe: "There are no pipes here, as there are no other programs. Leave it out: answers are \
           pretty-printed, and name=$(curl ...) takes the ID by itself.",
    redirect: "There are no files here, so nothing can be redirected. If a name is meant, write \
               <name>, without blanks at its ends.",
    background: "Nothing runs in the background here; a blocking query waits by itself. If & \
                 belongs to the address, no blank may stand beside it.",
    or_else: "|| has no meaning here. Put each command on its own line.",
    substitution: "Only name=$(curl ...) takes an answer, and only $name, ${name} and <name> are \
                   filled in. Take the answer first, then use its name.",
    curly_quote: "This is a printed quote. Use a straight one: ' or \".",
    not_text: "These bytes are not UTF-8 text, and the console sends only text.",
    after_bracket: "One command stands in the brackets and nothing behind them. Put the next one \
                    on its own line.",
    several_values: "name=value takes one word. Quote a value with blanks, and put a command on \
                     its own line.",
    unknown_program: |program| {
        format!(
            "{program} is not known here. Begin with curl, or with a method and a path as in \
             GET /v1/kv/a."
        )
    },
    consul_program: "The consul program is not here. Use its HTTP calls: PUT /v1/kv/a text, \
                     GET /v1/kv/a.",
    unknown_option: |option| format!("curl's {option} is not supported here. Leave it out."),
    value_missing: |option| format!("{option} needs a value behind it."),
    file: "@ names a file, and there are none here. Put the text itself in quotes, or use \
           --data-raw if it begins with @.",
    no_command: "Here a command is missing.",
    no_address: "The address is missing, as in http://localhost:8500/v1/kv/a or /v1/kv/a.",
    second_address: |text| {
        format!(
            "{text} would be a second address, and each command has one. Put quotes around a body \
             with blanks."
        )
    },
    scheme: |scheme| format!("{scheme} is not spoken here, only http and https."),
    header: "A header is written as 'Name: value'.",
    method: "A method is one word of letters, such as PUT.",
    no_session: "This actor has no session yet, so this was not sent. Create one first.",
    no_value: |name, word| {
        format!("{name} has no value yet, so this was not sent. Give it one: {word}=...")
    },
};

pub(super) const CHINESE: ConsoleWords = ConsoleWords {
    heading: "控制台",
    form: "命令的形式",
    form_curl: "curl",
    form_http: "HTTP",
    copy: "复制上一条命令",
    command_for: |actor| format!("{actor} 的命令"),
    placeholder: "curl，或 help",
    send: "发送",
    cancel: "取消",
    empty: "把指南里的 curl 命令粘贴到这里。输入 help 可了解还能使用什么。",
    asked: |actor, at| format!("{actor}，{} 秒", clock(at)),
    status,
    answered: |at| format!("{} 秒得到回答", clock(at)),
    bytes: |length| format!("{length} 个字节，不是文本"),
    decoded: |key| format!("{key} 的值："),
    kept: |name| format!("已存为 {name}"),
    pending: |seconds| format!("正在等待变化，已 {seconds} 秒"),
    cancelled: |at| format!("{} 秒时放弃，未得到回答", clock(at)),
    body_makes_post: "有正文时 curl 会发送 POST，而这里 Consul 需要 PUT：请加上 -X PUT。",
    use_session: |name| format!("用当前会话作为 {name}"),
    use_new_session: "创建会话并使用它",
    offers: "可填入的内容",
    help: [
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "任何主机和端口都指向这台服务器。选项：-X -d -H -G -I -i -v --json --url，\
             以及在这里不起作用的选项，如 -s。",
        ),
        ("PUT /v1/kv/a?acquire=<session> text", "简写形式。正文写在地址后面，或写在下面几行。"),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "变量取得回答中的 ID，或整个正文，或一段文本。",
        ),
        (
            "$s1   ${s1}   <s1>",
            "在任何位置都会被替换；与 shell 不同，单引号内也会替换。\
             $'\\x24' 和 $'\\x3c' 保留字符 $ 和 <。",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "从该参与者得到的回答中得知。您自己的赋值优先。",
        ),
        ("Tab   ↑ ↓   Esc", "采用列出的内容；在列表中移动；关闭列表。"),
    ],
    place: |place| format!("第 {} 行第 {} 列：", place.line, place.column),
    open_single_quote: "这个单引号没有闭合。",
    open_double_quote: "这个双引号没有闭合。",
    open_bracket: "这个括号没有闭合。",
    open_line: "反斜杠表示这一行未完，但后面没有内容。",
    too_long: "内容过长，控制台无法一次读取。请分几次发送。",
    pipe: "这里没有管道，因为没有其他程序。请去掉它：回答本来就会排版显示，name=$(curl ...) 会自行取得 ID。",
    redirect: "这里没有文件，不能重定向。如果想写名称，请写成 <name>，两端不要有空格。",
    background: "这里没有后台运行；阻塞查询会自行等待。如果 & 属于地址，它的两边不能有空格。",
    or_else: "|| 在这里没有意义。请让每条命令各占一行。",
    substitution: "只有 name=$(curl ...) 能取得回答，只有 $name、${name} 和 <name> 会被替换。\
                   请先取得回答，再使用它的名称。",
    curly_quote: "这是排版引号。请使用直引号：' 或 \"。",
    not_text: "这些字节不是 UTF-8 文本，而控制台只发送文本。",
    after_bracket: "括号内只能有一条命令，括号后不能有内容。请把下一条命令另起一行。",
    several_values: "name=value 只接受一个词。含空格的值请加引号，命令请另起一行。",
    unknown_program: |program| {
        format!("这里没有 {program}。请以 curl 开头，或以方法和路径开头，例如 GET /v1/kv/a。")
    },
    consul_program: "这里没有 consul 程序。请使用它的 HTTP 调用：PUT /v1/kv/a text，GET /v1/kv/a。",
    unknown_option: |option| format!("这里不支持 curl 的 {option}。请去掉它。"),
    value_missing: |option| format!("{option} 后面需要一个值。"),
    file: "@ 表示文件，而这里没有文件。请把文本放在引号里；如果文本以 @ 开头，请用 --data-raw。",
    no_command: "这里缺少一条命令。",
    no_address: "缺少地址，例如 http://localhost:8500/v1/kv/a 或 /v1/kv/a。",
    second_address: |text| {
        format!("{text} 会成为第二个地址，而每条命令只有一个地址。含空格的正文请加引号。")
    },
    scheme: |scheme| format!("这里不支持 {scheme}，只支持 http 和 https。"),
    header: "请求头的写法是 'Name: value'。",
    method: "方法是一个由字母组成的词，例如 PUT。",
    no_session: "该参与者还没有会话，所以没有发送。请先创建一个。",
    no_value: |name, word| format!("{name} 还没有值，所以没有发送。请给它一个值：{word}=..."),
};

#[cfg(test)]
mod tests {
    use crate::console::read;
    use crate::console::tests::{FRAGMENTS, odd_inputs};
    use crate::language::Language;

    #[test]
    fn every_fault_has_its_words_in_both_languages() {
        for words in Language::ALL.map(|language| &language.words().console) {
            let inputs = FRAGMENTS.iter().map(|input| format!("curl {input}"));
            for input in inputs.chain(odd_inputs()) {
                if let Err(fault) = read(&input) {
                    assert!(!words.trouble(&fault.trouble).is_empty(), "{input:?}");
                }
            }
        }
    }
}
