//! The command line, environment and configuration files of the program.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use crate::server::{AgentProcess, command};

#[test]
fn configuration_files_of_consul_are_read() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("consul.d");
    fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        path.into_os_string().into_string().expect("a path of text")
    };
    let json = write("a.json", r#"{"node_name": "first", "ports": {"http": 1, "dns": -1}}"#);
    write("b.hcl", "node_name = \"second\"\nsession_ttl_min = \"1s\"\ndata_dir = \"/x\"");
    write("c.txt", "not a configuration");
    fs::create_dir_all(folder.join("d.hcl")).expect("a folder in the folder");
    let one = AgentProcess::start(&["agent", "-dev", "-config-file", &json]);
    assert!(one.ok("GET", "/v1/agent/self", "").contains("\"NodeName\": \"first\""));
    let folder = folder.to_str().expect("a path of text");
    let all = AgentProcess::start(&["agent", &format!("-config-dir={folder}"), "-data-dir", "/x"]);
    assert!(all.ok("GET", "/v1/agent/self", "").contains("\"NodeName\":\"second\""));
    all.session(r#"{"TTL":"1s"}"#);
}

#[test]
fn an_error_is_one_line_on_the_error_output() {
    let server = AgentProcess::start(&[]);
    for (arguments, status, expected) in [
        (&["--addr", server.address.as_str()][..], 1, "cannot listen on"),
        (&["--addr", "nowhere"], 2, "--addr: \"nowhere\" is not an address"),
        (&["--prot", "1"], 2, "--prot"),
        (&["-hcl", "ports { http = x }"], 2, "failed to parse -hcl: At 1:16: "),
        (&["-config-file", "/nowhere"], 2, "cannot read /nowhere"),
        (&["--allow-origin", "a\nb", "--addr", "127.0.0.1:0"], 1, "--allow-origin"),
    ] {
        let mut process = command(arguments).spawn().expect("it was built");
        let ended = process.wait().expect("it is a child");
        let mut complaint = String::new();
        let errors = process.stderr.as_mut().expect("its errors are piped");
        errors.read_to_string(&mut complaint).expect("text");
        assert_eq!(ended.code(), Some(status), "{arguments:?}: {complaint}");
        assert!(complaint.contains(expected), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
}

/// Files as people have them, and whether Consul starts with them.
#[test]
fn a_configuration_is_accepted_or_refused_as_by_consul() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/wire/config");
    for (name, error) in [
        ("json-in.hcl", None),
        ("oneline.hcl", None),
        ("trailing-comma.hcl", None),
        ("nohttp.hcl", None),
        ("braces-around.hcl", Some("At 2:1: expected: IDENT | STRING got: LBRACE")),
        ("comments.json", Some("failed to parse")),
        ("string-port.hcl", Some("* 'ports.http' expected type 'int', got unconvertible type")),
        ("unknown.hcl", Some("1 error occurred:\n\t* invalid config key nodename")),
    ] {
        let file = folder.join(name).into_os_string().into_string().expect("a path of text");
        let Some(error) = error else {
            let flags = if name == "nohttp.hcl" { &[][..] } else { &["-http-port", "0"] };
            let arguments = [&["agent", "-config-file", &file][..], flags].concat();
            let mut process = command(&arguments).spawn().expect("it was built");
            let mut line = String::new();
            let output = process.stdout.take().expect("its output is piped");
            BufReader::new(output).read_line(&mut line).expect("text");
            process.kill().expect("it runs");
            process.wait().expect("it is a child");
            let served =
                if flags.is_empty() { "serves nothing" } else { "serves http://127.0.0.1:" };
            assert!(line.contains(served), "{name}: {line}");
            continue;
        };
        let refused = command(&["-config-file", &file]).output().expect("it was built");
        let complaint = String::from_utf8(refused.stderr).expect("text");
        assert_eq!(refused.status.code(), Some(2), "{name}: {complaint}");
        assert!(complaint.contains(error), "{name}: {complaint}");
    }
}

#[test]
fn an_agent_listens_on_several_addresses_and_at_a_path() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("http.sock").into_os_string().into_string().expect("a path of text");
    let hcl = format!("addresses {{ http = \"127.0.0.1 unix://{path} 127.0.0.2\" }}");
    for _ in 0..2 {
        let mut process =
            command(&["-hcl", &hcl, "-http-port", "0"]).spawn().expect("it was built");
        let mut line = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut line).expect("text");
        let (_, addresses) = line.trim().split_once(" serves ").expect("addresses");
        let addresses: Vec<_> = addresses.split(' ').collect();
        let [first, socket, second] = addresses[..] else { panic!("{line}") };
        assert_eq!(socket, format!("unix://{path}"));
        let request = "GET /v1/status/leader HTTP/1.1\r\nHost: any.example\r\n\r\n";
        let mut stream = UnixStream::connect(&path).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it takes a request");
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        let port = first.rsplit_once(':').expect("a port").1;
        assert_eq!(second, format!("http://127.0.0.2:{port}"));
        TcpStream::connect(&second["http://".len()..]).expect("it listens");
        // A socket that a killed agent has left is replaced.
        process.kill().expect("it runs");
        process.wait().expect("it is a child");
    }
}

#[test]
fn the_version_begins_as_that_of_consul() {
    for arguments in [&["version"][..], &["--version"], &["-version"]] {
        let output = command(arguments).output().expect("it was built");
        let text = String::from_utf8(output.stdout).expect("text");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("Consul v1.22.7"), "{arguments:?}");
        assert!(lines.next().is_some_and(|line| line.contains("not HashiCorp's Consul")), "{text}");
    }
}

/// HashiCorp's test harness asks for it before it starts the agent.
#[test]
fn the_version_is_also_given_in_json() {
    let output = command(&["version", "-format=json"]).output().expect("it was built");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["Version"], "1.22.7");
}

#[test]
fn the_agent_answers_as_the_version_that_it_is_given() {
    let newest = AgentProcess::start(&[]);
    let older = AgentProcess::start(&["--consul-version", "1.13"]);
    for (server, release) in [(&newest, "1.22.7"), (&older, "1.13.9")] {
        let itself = server.ok("GET", "/v1/agent/self", "");
        assert!(itself.contains(&format!(r#""Version":"{release}""#)), "{itself}");
    }
    let key = "/v1/kv/%20lead";
    assert_eq!(older.ok("PUT", key, "v"), "true");
    let unchecked = AgentProcess::start(&["-hcl", "disable_kv_key_validation = true"]);
    assert_eq!(unchecked.ok("PUT", key, "v"), "true");
    assert_eq!(newest.put(key, b"v").status, 500);
}

#[test]
fn a_configuration_enables_and_disables_the_root_certificate() {
    let (enabled, disabled) = ("connect { enabled = true }", "connect { enabled = false }");
    for (arguments, has_root) in [
        (&["--consul-version", "1.13"][..], false),
        (&["--consul-version", "1.13", "-dev"], true),
        (&["--consul-version", "1.13", "-hcl", enabled], true),
        (&["-dev", "-hcl", disabled], false),
        (&[], true),
    ] {
        let roots = AgentProcess::start(arguments).get("/v1/agent/connect/ca/roots");
        assert_eq!(roots.status, if has_root { 200 } else { 500 }, "{arguments:?}");
    }
}

#[test]
fn leaving_stops_the_agent() {
    let mut server = AgentProcess::start(&[]);
    assert_eq!(server.ok("PUT", "/v1/agent/leave", ""), "");
    assert!(server.wait().success());
}

#[test]
fn a_node_has_the_id_and_the_metadata_that_it_is_given() {
    let id = "40e4a748-2192-161a-0510-9bf59fe950b5";
    let meta = r#"node_meta { rack = "r1" }"#;
    let server = AgentProcess::start(&["-node-id", id, "-node-meta=room:east", "-hcl", meta]);
    let node = server.ok("GET", "/v1/catalog/node/n1", "");
    let expected = [
        r#""Meta":{"consul-network-segment":"","consul-version":"1.22.7","#,
        r#""rack":"r1","room":"east"}"#,
    ];
    assert!(node.contains(id) && node.contains(&expected.concat()), "{node}");
    let first = AgentProcess::start(&[]).ok("GET", "/v1/catalog/nodes", "");
    assert_eq!(
        first,
        AgentProcess::start(&[]).ok("GET", "/v1/catalog/nodes", ""),
        "it follows the name"
    );
    assert!(!first.contains(r#""ID":"""#), "{first}");
}

#[test]
fn a_check_that_is_not_run_is_named_in_the_log() {
    let register = |server: &AgentProcess| {
        let check = r#"{"Name":"page","HTTP":"http://localhost/","Interval":"10s"}"#;
        server.ok("PUT", "/v1/agent/check/register", check);
    };
    let log = AgentProcess::log_of(&[], register);
    let warning = "[WARN]  lictor: check is kept as registered: checks of its type are not run: \
                   check=page type=http\n";
    assert!(log.contains(warning), "{log}");
}

#[test]
fn scripts_are_refused_unless_the_agent_has_them_enabled() {
    let check = br#"{"Name":"c","Args":["true"],"Interval":"10s"}"#;
    for (arguments, status) in [
        (&["agent", "-dev"][..], 500),
        (&["-enable-local-script-checks"], 500),
        (&["-enable-script-checks", "-dev"], 200),
        (&["-enable-script-checks=false"], 500),
        (&["-hcl", "enable_script_checks = true"], 200),
    ] {
        let answer = AgentProcess::start(arguments).put("/v1/agent/check/register", check);
        assert_eq!(answer.status, status, "{arguments:?}");
    }
}

#[test]
fn environment_variables_of_consuls_clients_have_no_effect() {
    let server = AgentProcess::start_with(&["-log-level=warn"], |command| {
        command
            .env("CONSUL_HTTP_ADDR", "http://192.0.2.1:1")
            .env("CONSUL_HTTP_SSL", "true")
            .env("CONSUL_HTTP_TOKEN", "none")
            .env("CONSUL_NAMESPACE", "other");
    });
    assert!(server.address.starts_with("127.0.0.1:"));
    assert_eq!(server.get("/v1/kv/a").status, 404);
}

#[test]
fn a_flag_without_effect_is_named_once_in_the_log() {
    let log =
        AgentProcess::log_of(&["agent", "-server", "-retry-join=a", "-retry-join", "b"], |_| {});
    for flag in ["-server", "-retry-join"] {
        let warning = format!("[WARN]  lictor: setting has no effect: name={flag}\n");
        assert_eq!(log.matches(&warning).count(), 1, "{log}");
    }
}

#[test]
fn listening_beyond_loopback_is_a_warning() {
    let warning = "everyone who can reach";
    let log = AgentProcess::log_of(&["agent", "-client", "0.0.0.0", "-http-port", "0"], |_| {});
    assert!(log.contains("WARN") && log.contains(warning), "{log}");
    assert!(!AgentProcess::log_of(&[], |_| {}).contains(warning));
}
