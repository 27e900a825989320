//! Divides a pasted text or a file into JSON values and lines of a log. Prompts and prose between
//! them are skipped.

mod content;
mod copied;
mod head;
mod json;
mod server_log;
#[cfg(test)]
mod tests;

use alloc::string::ToString;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};
use serde_json::value::RawValue;

pub(crate) use self::content::{Content, ShownList};
pub use self::content::{Evidence, IncidentError, Source, Unused};
use self::json::{list_in, may_be_json};
use crate::address::Address;
use crate::answer_head::AnswerHead;
use crate::clock_time::TimedLine;
use crate::failed::mark_failed;
use crate::log::{self, LogEvent, WrittenRequest};
use crate::request::ListRequest;
use crate::wrapped;

/// After this many bytes the progress is reported.
const PROGRESS_STEP: usize = 1 << 20;

/// Reads a source, and reports the number of bytes that it has read since it reported last.
/// What a time of a line lacks, such as its year, is what brings it nearest to `near`.
pub(crate) fn read<'a>(
    source: &Source<'a>,
    near: Option<Timestamp>,
    progress: &mut dyn FnMut(usize),
) -> Content<'a> {
    let mut reader = Reader {
        near,
        row: None,
        unclosed: 0,
        command: None,
        unended: 0,
        cut: None,
        times: [0; 2],
        last_time: None,
        first_election: None,
        last_debug: None,
        offset: source.offset(),
        content: Content {
            name: source.name.into(),
            lists: Vec::new(),
            log: Vec::new(),
            lines: 0,
            span: None,
            covered: Vec::new(),
            birth: None,
            is_picked: false,
            node: None,
            datacenter: None,
            lacks_zone: false,
            application: Vec::new(),
            date_order: None,
            without_time: None,
            unused: Vec::new(),
            remarks: Vec::new(),
        },
        skipped: None,
        in_application: false,
        in_banner: false,
        named: None,
        request: None,
        address: None,
        head: AnswerHead::default(),
        in_head: false,
        error: None,
        is_covered: false,
        is_after_blank: false,
        failed: Vec::new(),
    };
    match core::str::from_utf8(source.bytes) {
        Ok(text) if text.trim().is_empty() => reader.refuse(1, EMPTY),
        Ok(text) if text.starts_with(GZIP_AS_TEXT) => reader.refuse(1, SNAPSHOT),
        Ok(text) => reader.read(text, progress),
        Err(_) if source.bytes.starts_with(GZIP) => reader.refuse(1, SNAPSHOT),
        Err(_) => reader.refuse(1, "the bytes are not text in UTF-8"),
    }
    reader.content.is_picked |= is_about_one_thing(&reader.content);
    mark_failed(&mut reader.content.log, reader.failed);
    reader.content
}

/// Whether each line of a log has the same key or the same session in it, as those have that
/// `grep` picks. A whole log has other lines, too.
fn is_about_one_thing(content: &Content<'_>) -> bool {
    let events = || content.log.iter().filter_map(|(line, _)| line.event.as_ref());
    let names = [events().find_map(LogEvent::key), events().find_map(LogEvent::session)];
    let has_all_lines = content.lines == content.log.len();
    let is_in_all = |name: &str| {
        content.log.iter().all(|(line, evidence)| {
            let event = line.event.as_ref();
            let named = [event.and_then(LogEvent::key), event.and_then(LogEvent::session)];
            let is_read = named.iter().any(Option::is_some);
            if is_read { named.contains(&Some(name)) } else { evidence.text.contains(name) }
        })
    };
    has_all_lines && names.into_iter().flatten().any(is_in_all)
}

const GZIP: &[u8] = &[0x1f, 0x8b];
/// The same bytes as a browser decodes them when it reads a file as text.
const GZIP_AS_TEXT: &str = "\u{1f}\u{fffd}";
const SNAPSHOT: &str = "a compressed file, such as a snapshot: `consul snapshot decode FILE` makes \
                        lines of JSON of it";
const HTML: &str = "HTML, such as the page of a proxy or of Consul's user interface: request the \
                    list from Consul's HTTP interface, for example with curl";
const TRUNCATED: &str = "JSON that ends before it is complete: copy it again, or save it with \
                         `curl -o FILE`";
const PART: &str = "a part of JSON without its beginning: copy it again, or save it with \
                    `curl -o FILE`";
const CUT: &str = "without the end, so that the log does not have every request: copy it in whole \
                   lines";
const OTHER: &str = "neither JSON nor a line of Consul's log";
const EMPTY: &str = "the text is empty";
/// The number of bytes at the beginning of a line that are compared with patterns.
const TIMED_LINE_MAX: usize = 4096;

/// JSON is not looked for inside more unclosed brackets than this: no list of Consul has them.
const UNENDED_MAX: usize = 64;

struct Reader<'a> {
    near: Option<Timestamp>,
    /// The width of the rows of the terminal from which the text was copied.
    row: Option<usize>,
    /// The place up to which no bracket closes a list in rows.
    unclosed: usize,
    /// The last line with a command for keys.
    command: Option<&'a str>,
    /// How many lists and objects have begun that do not end.
    unended: usize,
    /// The number of the first line of the log whose end is missing, and how many there are.
    cut: Option<(usize, usize)>,
    /// How many lines of the log are later, and how many are earlier, than the line before them.
    times: [usize; 2],
    /// The time of the last line of the log.
    last_time: Option<Timestamp>,
    /// The times of the first election of a new cluster, and of the last line of level `debug`.
    first_election: Option<Timestamp>,
    last_debug: Option<Timestamp>,
    offset: SignedDuration,
    content: Content<'a>,
    /// The first line of the text that is being skipped, and whether it is a part of JSON.
    skipped: Option<(usize, bool)>,
    /// Whether the lines are those that an agent prints before its log.
    in_banner: bool,
    /// Whether the last line with a time was one of an application.
    in_application: bool,
    /// The list that the last line with a request names, for example a line with curl.
    named: Option<&'static str>,
    /// That request, until its answer was read.
    request: Option<ListRequest>,
    /// Where the last command that names an address asked.
    address: Option<Address>,
    head: AnswerHead,
    in_head: bool,
    /// The place in what is unused of an error in place of a list, whose text may follow.
    error: Option<usize>,
    /// Whether the log has every request since the last interval of `covered` began.
    is_covered: bool,
    /// Whether the last line was blank.
    is_after_blank: bool,
    /// The requests that have failed, each with the time and the number of lines kept before.
    failed: Vec<(WrittenRequest, Timestamp)>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, text: &'a str, progress: &mut dyn FnMut(usize)) {
        self.row = wrapped::row_width(text);
        let (mut place, mut line, mut reported) = (0, 1, 0);
        while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
            let length = self.piece(place, rest, line);
            line += rest[..length].matches('\n').count();
            place += length;
            if place - reported >= PROGRESS_STEP {
                progress(place - reported);
                reported = place;
            }
        }
        if self.in_head {
            self.end_head(line);
        }
        if reported > 0 && place > reported {
            progress(place - reported);
        }
        self.end_skipped();
        if let Some((first, count)) = self.cut {
            let lines = if count == 1 { "line" } else { "lines" };
            self.refuse(first, &alloc::format!("{count} {lines} of Consul's log {CUT}"));
        }
        let [later, earlier] = self.times;
        if earlier > later {
            // A program that shows logs has written the newest line first.
            self.content.log.reverse();
            self.content.application.reverse();
        }
    }

    /// Reads a value of JSON or a line, and returns its length.
    fn piece(&mut self, place: usize, rest: &'a str, number: usize) -> usize {
        if let Some(length) = self.key_table(rest, number) {
            return length;
        }
        if self.unended > 0 && rest.starts_with(',') {
            return 1;
        }
        let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = rest[..line_end].trim_end();
        let indent = line.len() - line.trim_start().len();
        if may_be_json(&line[indent..]) {
            let json = serde_json::Deserializer::from_str(&rest[indent..]);
            let mut values = json.into_iter::<&RawValue>();
            match values.next() {
                Some(Ok(json)) => {
                    self.end_skipped();
                    self.json(json, number);
                    // What ends this line is no blank line.
                    let end = indent + values.byte_offset();
                    let after = rest[end..].trim_start_matches([' ', '\t', '\r']);
                    let has_ended = after.starts_with('\n');
                    return if has_ended { rest.len() - after.len() + 1 } else { end };
                }
                Some(Err(error)) if error.is_eof() && self.unended < UNENDED_MAX => {
                    self.end_skipped();
                    if self.unended == 0 {
                        self.refuse(number, TRUNCATED);
                    }
                    self.end_answer();
                    // Whole entries before the cut are entries all the same.
                    self.unended += 1;
                    return indent + 1;
                }
                _ => {
                    let list = self.list_in_rows(place + indent, &rest[indent..], number);
                    if let Some(length) = list {
                        return indent + length;
                    }
                    if rest[indent..].starts_with("[{") {
                        // A list that is cut within a string: what follows is another answer.
                        self.end_answer();
                    }
                }
            }
        }
        let rows = self.line_in_rows(line, &rest[line_end..], number);
        if let Some(length) = rows {
            return line_end + length;
        }
        let length = line_end + copied::message_line(line, &rest[line_end..]);
        self.line(rest[..length].trim_end(), number);
        length
    }

    /// What follows is not of the last request any more.
    fn end_answer(&mut self) {
        self.request = None;
        (self.head, self.in_head, self.error) = (AnswerHead::default(), false, None);
    }

    fn line(&mut self, line: &'a str, number: usize) {
        if let Some(parsed) = log::parse_text(line).or_else(|| self.foreign_line(line)) {
            self.end_skipped();
            self.content.is_picked |= copied::is_of_table(line) || copied::is_of_grep(line);
            return self.log_line(parsed, line, number);
        }
        if copied::is_cut_json(line) {
            return self.cut_line(number);
        }
        if let Some(name) = copied::file_name(line) {
            return self.begin_file(name);
        }
        if self.head_line(line, number) {
            return;
        }
        if line.contains("/v1/") {
            self.named = list_in(line);
            self.request = ListRequest::in_line(line);
            self.address = Address::in_line(line);
            (self.head, self.error) = (AnswerHead::default(), None);
            self.command = Some(line);
        } else if line.contains("consul kv ") {
            self.end_answer();
            self.command = Some(line);
        }
        self.content.is_picked |= ["grep ", "awk ", "sed "].iter().any(|it| line.contains(it));
        if self.error_line(line, number) || self.remark_line(line, number) {
            return;
        }
        self.banner_line(line);
        if is_html(line.trim_start()) {
            self.end_skipped();
            return self.refuse(number, HTML);
        }
        if copied::is_command(line) {
            self.in_application = false;
            self.end_coverage();
            return self.end_skipped();
        }
        // The lines that an agent prints before its log have the time of its build.
        if !self.in_banner && self.timed_line(line, number) {
            return;
        }
        if self.in_application && !line.is_empty() {
            self.content.without_time.get_or_insert((number, 0)).1 += 1;
            return;
        }
        self.in_banner |= line.starts_with("==> ");
        self.is_after_blank |= line.trim().is_empty();
        if self.in_banner || line.trim().is_empty() {
            return;
        }
        // What was cut out between the lines of a log may be any number of lines.
        self.end_coverage();
        self.content.is_picked |= line == copied::GREP_GAP;
        if self.request.is_some() && line.contains("/v1/") {
            return self.end_skipped();
        }
        let is_json = copied::is_part_of_json(line);
        if self.skipped.is_some_and(|(_, was_json)| was_json != is_json) {
            self.end_skipped();
        }
        if self.skipped.is_none() && !(is_json && self.unended > 0) {
            self.skipped = Some((number, is_json));
        }
    }

    /// Reads a line that an agent prints before its log.
    fn banner_line(&mut self, line: &str) {
        let named = line.split_once(": '").filter(|_| self.in_banner);
        let Some((name, value)) = named else { return };
        let value = value.split('\'').next().unwrap_or_default();
        match name.trim() {
            "Node name" => self.content.node = Some(value.into()),
            "Datacenter" => self.content.datacenter = Some(value.into()),
            _ => {}
        }
    }

    /// What follows is of another file.
    fn begin_file(&mut self, name: &str) {
        self.end_skipped();
        self.end_answer();
        self.end_coverage();
        (self.in_banner, self.in_application) = (false, false);
        self.named = list_in(name);
    }

    /// Keeps a line with a time, which may be of an application. Returns whether it has one.
    fn timed_line(&mut self, line: &'a str, number: usize) -> bool {
        let mut end = line.len().min(TIMED_LINE_MAX);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let text = &line[..end];
        let Some(timed) = TimedLine::new(number, text) else { return false };
        if copied::is_only(&timed) {
            return true;
        }
        self.content.date_order = self.content.date_order.or(timed.time.order());
        self.end_skipped();
        self.in_application = true;
        self.content.application.push(timed);
        true
    }

    fn shifted(&self, time: Timestamp) -> Timestamp {
        time.saturating_add(self.offset).unwrap_or(time)
    }

    fn evidence(&self, line: usize, text: &str) -> Evidence {
        Evidence { source: self.content.name.clone(), line, text: text.trim().replace('\n', " ") }
    }

    /// Prose between what is read is reported once, with its first line.
    fn end_skipped(&mut self) {
        if let Some((line, is_json)) = self.skipped.take() {
            self.refuse(line, if is_json { PART } else { OTHER });
        }
    }

    fn refuse(&mut self, line: usize, reason: &str) {
        let unused = Unused { source: self.content.name.clone(), line, reason: reason.to_string() };
        self.content.unused.push(unused);
    }
}

fn is_html(line: &str) -> bool {
    let begins = |tag: &&str| line.get(..tag.len()).is_some_and(|it| it.eq_ignore_ascii_case(tag));
    ["<!doctype", "<html"].iter().any(begins)
}
