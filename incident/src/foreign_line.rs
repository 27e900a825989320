//! Lines of Consul's log inside the lines of other programs: syslog, journald, files of containers,
//! and exports and copies of interfaces that show logs. They are written anew as Consul writes
//! them: a time, a level in brackets, a module and a message.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use csv_core::{ReadFieldResult, Reader};
use jiff::Timestamp;

use crate::clock_time::{ClockTime, TimedLine};
use crate::log::{self, LEVELS, is_of_consul};

/// The level of a line that has none, as Consul writes none to syslog.
const UNKNOWN_LEVEL: &str = "[INFO]";
/// The paths of requests by which a line of the module `http` is Consul's. Other programs of its
/// makers write lines of this module, too.
const PATHS: [&str; 5] = ["/v1/session/", "/v1/kv/", "/v1/txn", "/v1/catalog/", "/v1/health/"];

/// The line of Consul in a line of another program. What its time lacks, such as a year, is what
/// brings it nearest to `near`.
pub(crate) fn consul_line(line: &str, near: Option<Timestamp>) -> Option<String> {
    let time = |text: &str| time_of(text, near);
    if let Some(found) = with_level(line, &time).or_else(|| after_tag(line, &time)) {
        return Some(found);
    }
    // A record of an exported table.
    if !line.contains(",\"") && !line.contains("\",") {
        return None;
    }
    let fields = fields(line);
    let in_field = |field: &String| match log::parse_text(field) {
        Some(_) => Some(field.clone()),
        None => with_level(field, &|before| time(before).or_else(|| time(line))),
    };
    fields.iter().filter(|field| field.len() < line.len()).find_map(in_field)
}

/// The lines of Consul in the texts of JSON that is no list of Consul's, each with the number of
/// lines before it. A text without a time of its own has that of the record, if it is in one line.
pub(crate) fn lines_in_json(json: &str, near: Option<Timestamp>) -> Vec<(usize, String)> {
    let record_time = if json.contains('\n') { None } else { time_of(json, near) };
    let is_tagged = json.contains("\"consul\"");
    let time = |text: &str| time_of(text, near).or(record_time.clone());
    let mut found = Vec::new();
    for (place, text) in texts(json) {
        for line in text.lines() {
            let own = || log::parse_text(line).map(|_| line.into());
            let as_json = || {
                let value = serde_json::from_str(line.trim()).ok()?;
                log::parse_json(&value).map(|_| line.into())
            };
            let message = || bare_message(line, &time).filter(|_| is_tagged);
            let line = own()
                .or_else(as_json)
                .or_else(|| with_level(line, &time))
                .or_else(|| after_tag(line, &time))
                .or_else(message);
            found.extend(line.map(|line| (place, line)));
        }
    }
    found
}

/// A line with a level, whose time Consul did not write.
fn with_level(line: &str, time: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (place, level) =
        LEVELS.iter().find_map(|level| line.find(level).map(|place| (place, *level)))?;
    let (before, after) = (&line[..place], &line[place + level.len()..]);
    // In quotes it is a part of another program's line, from a library that Consul uses too.
    if before.matches('"').count() % 2 == 1 {
        return None;
    }
    let (module, message) = after.trim_start().split_once(": ")?;
    let module = module_of(module, message, tag(before).is_some())?;
    let time = time(before)?;
    Some(format!("{time} {level} {module}: {message}"))
}

/// A line that Consul wrote to syslog, without a time and a level of its own:
/// `Nov 26 10:13:27 host consul[123]: agent.server: cluster leadership acquired`.
fn after_tag(line: &str, time: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (place, length) = tag(line)?;
    let (before, after) = (&line[..place], line[place + length..].trim_start());
    let (module, message) = after.split_once(": ").filter(|(module, _)| is_of_consul(module))?;
    let time = time(before)?;
    Some(format!("{time} {UNKNOWN_LEVEL} {module}: {message}"))
}

/// A message whose time, level and program are in other members of its record.
fn bare_message(text: &str, time: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (module, message) = text.split_once(": ").filter(|(module, _)| is_of_consul(module))?;
    let time = time(text)?;
    Some(format!("{time} {UNKNOWN_LEVEL} {module}: {message}"))
}

/// The name of a module as Consul 1.7 and later write it; `None` if it is not Consul's.
fn module_of<'a>(module: &'a str, message: &str, is_tagged: bool) -> Option<Cow<'a, str>> {
    if is_of_consul(module) {
        return Some(module.into());
    }
    let is_request = || {
        let mut words = message.strip_prefix("Request ")?.split_whitespace();
        words.find(|word| word.starts_with('/'))
    };
    let is_own = || is_request().is_some_and(|url| PATHS.iter().any(|path| url.starts_with(path)));
    let is_word = || module.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    (is_tagged && is_word() || module == "http" && is_own())
        .then(|| format!("agent.{module}").into())
}

/// The place and the length of a tag of syslog that names Consul: `consul[123]: `,
/// `consul-agent: `, and `consul 123 - - ` as RFC 5424 writes it.
fn tag(line: &str) -> Option<(usize, usize)> {
    line.match_indices("consul").find_map(|(place, _)| {
        let begins_word =
            !line[..place].ends_with(|it: char| it.is_alphanumeric() || "._/".contains(it));
        let rest = line[place..].trim_start_matches(|it: char| it.is_alphanumeric() || it == '-');
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let after = match rest.strip_prefix('[') {
            Some(rest) => rest[digits(rest)..].strip_prefix("]: "),
            None => rest.strip_prefix(": ").or_else(|| {
                let rest = rest.strip_prefix(' ')?;
                rest[digits(rest)..].trim_start_matches('-').strip_prefix(" - - ")
            }),
        };
        let after = after.filter(|_| begins_word)?;
        Some((place, line.len() - after.len() - place))
    })
}

/// The time of a text, as Consul writes it.
fn time_of(text: &str, near: Option<Timestamp>) -> Option<String> {
    let time = TimedLine::new(0, text)?.time;
    let resolved = match time {
        ClockTime::Full { time, .. } => time,
        other => other.resolve(near?, None)?,
    };
    let text = format!("{resolved}");
    // Without a zone, a time counts as UTC, which the list of unused lines says.
    Some(if time.has_zone() { text } else { text.trim_end_matches('Z').into() })
}

/// The fields of a line of comma-separated values.
fn fields(line: &str) -> Vec<String> {
    let mut reader = Reader::new();
    let mut fields = Vec::new();
    let mut output = alloc::vec![0; line.len() + 1];
    let (mut input, mut written) = (line.as_bytes(), 0);
    loop {
        let (result, read, new) = reader.read_field(input, &mut output[written..]);
        (input, written) = (&input[read..], written + new);
        match result {
            // The input is all that there is: what follows ends the last field.
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::Field { .. } => {
                fields.push(String::from_utf8_lossy(&output[..written]).trim().into());
                written = 0;
            }
            ReadFieldResult::OutputFull | ReadFieldResult::End => return fields,
        }
    }
}

/// The texts in valid JSON, each with the number of lines before it.
fn texts(json: &str) -> Vec<(usize, String)> {
    let mut texts = Vec::new();
    let (mut lines, mut rest) = (0, json);
    while let Some(start) = rest.find('"') {
        lines += rest[..start].matches('\n').count();
        let mut is_escaped = false;
        let end = rest[start + 1..].bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let Some(end) = end.map(|end| start + end + 2) else { break };
        texts.extend(serde_json::from_str(&rest[start..end]).ok().map(|text| (lines, text)));
        rest = &rest[end..];
    }
    texts
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn near() -> Option<Timestamp> {
        crate::time::parse("2026-11-26T12:00:00Z")
    }

    const MESSAGE: &str = "agent.server: cluster leadership acquired";

    #[test]
    fn lines_of_syslog_and_of_tables_are_consuls() {
        let own = "2026-11-26T09:13:27.907Z [INFO]  agent.server: cluster leadership acquired";
        for (line, time) in [
            (format!("Nov 26 09:13:27 host consul[123]: {MESSAGE}"), "2026-11-26T09:13:27"),
            (format!("Nov 26 09:13:27 host consul-agent: {MESSAGE}"), "2026-11-26T09:13:27"),
            (
                format!("<14>1 2026-11-26T09:13:27.5Z host consul 123 - - {MESSAGE}"),
                "2026-11-26T09:13:27.5Z",
            ),
            (
                format!("2026-11-26T10:13:27+0100 host consul[123]:  {MESSAGE}"),
                "2026-11-26T09:13:27Z",
            ),
            (
                format!("November 26th 2026, 09:13:27.907\t[INFO] {MESSAGE}"),
                "2026-11-26T09:13:27.907",
            ),
            (format!("11/26/26 9:13:27.907 AM\t[INFO] {MESSAGE}"), "2026-11-26T09:13:27.907"),
            (
                format!("Nov 26, 2026 @ 09:13:27.907,\"[INFO] {MESSAGE}\""),
                "2026-11-26T09:13:27.907",
            ),
            (format!("\"2026-11-26 09:13:28\",\"n1\",\"{own}\""), "2026-11-26T09:13:27.907Z"),
        ] {
            let found = consul_line(&line, near()).unwrap_or_else(|| panic!("{line}"));
            let parsed = log::parse_text(&found).unwrap_or_else(|| panic!("{found}"));
            assert_eq!(parsed.event, Some(log::LogEvent::Elected), "{found}");
            assert_eq!(Some(parsed.time), crate::time::parse(time), "{line}");
            assert_eq!(parsed.has_zone, time.ends_with('Z'), "{line}");
        }
    }

    #[test]
    fn quotes_in_a_field_of_a_table_are_those_of_the_line() {
        let line = "1795165831123,\"2026-11-26T09:13:27.907Z [WARN]  agent.server.kvs: Rejecting \
                    lock of key due to lock-delay: key=\"\"a b\"\" expire_time=\"\"2026-11-26 \
                    09:14:00 +0000 UTC\"\"\"";
        let found = log::parse_text(&consul_line(line, None).unwrap()).unwrap();
        assert!(matches!(found.event, Some(log::LogEvent::LockDelay { key, .. }) if key == "a b"));
    }

    #[test]
    fn requests_of_old_servers_are_told_from_those_to_other_programs() {
        let line = |module: &str, url: &str| {
            let line = format!("2017/02/01 06:38:41 [DEBUG] {module}: Request PUT {url} (1ms)");
            consul_line(&line, None)
        };
        let found = line("http", "/v1/session/renew/s").unwrap();
        let expected =
            "2017-02-01T06:38:41 [DEBUG] agent.http: Request PUT /v1/session/renew/s (1ms)";
        assert_eq!(found, expected);
        assert_eq!(line("http", "/v1/jobs"), None);
        assert_eq!(line("core", "/v1/session/renew/s"), None);
        let tagged = "Feb  1 06:38:41 h consul[1]: 2017/02/01 06:38:41 [WARN] dns: no answer";
        assert!(consul_line(tagged, None).unwrap().ends_with("[WARN] agent.dns: no answer"));
    }

    #[test]
    fn texts_in_records_of_json_are_lines_of_consul() {
        let own = "2026-11-26T09:13:27.907Z [INFO]  agent.server: cluster leadership acquired";
        let wrapped = serde_json::json!({"@timestamp": "2026-11-26T09:13:27.907Z",
            "@module": "agent.server", "@message": "cluster leadership acquired"});
        for record in [
            serde_json::json!({"log": format!("{own}\n"), "stream": "stdout"}),
            serde_json::json!({"hits": [{"_source": {"message": own}}]}),
            serde_json::json!({"log": wrapped.to_string(), "time": "2026-11-26T09:13:28Z"}),
            serde_json::json!({"__REALTIME_TIMESTAMP": "1795684407907000",
                "SYSLOG_IDENTIFIER": "consul", "MESSAGE": MESSAGE}),
            serde_json::json!({"@timestamp": "2026-11-26T09:13:27.907Z",
                "message": format!("[INFO] {MESSAGE}")}),
        ] {
            let json = record.to_string();
            let found = lines_in_json(&json, None);
            let [(0, line)] = &found[..] else { panic!("{json}: {found:?}") };
            let parsed = log::parse_text(line)
                .or_else(|| log::parse_json(&serde_json::from_str(line).unwrap()));
            let parsed = parsed.unwrap();
            assert_eq!(parsed.event, Some(log::LogEvent::Elected), "{json}");
            assert_eq!(Some(parsed.time), crate::time::parse("2026-11-26T09:13:27.907Z"), "{json}");
        }
        let pretty = format!("{{\n \"events\": [\n  {{\"message\": {own:?}}}\n ]\n}}");
        assert_eq!(lines_in_json(&pretty, None), [(2, own.to_string())]);
    }

    #[test]
    fn lines_of_other_programs_are_none_of_consul() {
        for line in [
            "Nov 26 09:13:27 host vault[123]: core: leadership lost, stopping active operation",
            "Nov 26 09:13:27 host nomad[123]: agent.server: cluster leadership acquired",
            "Nov 26 09:13:27 host consul[123]: started",
            "2026-11-26T09:13:27Z [INFO]  nomad: cluster leadership acquired",
            "[INFO] agent.server: no time",
            "time=\"2026-11-26T09:13:27Z\" msg=\"[INFO]  raft: election won\"",
            "2026-11-26T09:10:57Z INFO acquired lock via consul: jobs/leader",
        ] {
            assert_eq!(consul_line(line, near()), None, "{line}");
        }
        let other = r#"{"time":"2026-11-26T09:13:27Z","msg":"agent.server: it is quoted"}"#;
        assert!(lines_in_json(other, None).is_empty());
    }
}
