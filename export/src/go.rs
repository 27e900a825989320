//! A test in Go against an agent that HashiCorp's `sdk/testutil` starts, with a manual clock.

use std::time::Duration;

use crate::language::{self, Language, SendWords, double_quoted};
use crate::steps::Test;

struct Go;

pub(crate) const RUN: &str = "Put it into a folder of its own. It needs the module \
                   github.com/hashicorp/consul/sdk, and on the PATH a program `consul` that runs \
                   `exec lictor-agent \"$@\"`.";

const BEGIN: &str = r#"package world

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"testing"

	"github.com/hashicorp/consul/sdk/testutil"
)

type (
	list   = []any
	object = map[string]any
)

// world is the server with the status and the body of the last answer.
type world struct {
	*testing.T
	address string
	status  int
	text    string
}

func (w *world) send(method, target, body string, headers ...string) {
	w.Helper()
	request, err := http.NewRequest(method, "http://"+w.address, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	// The target is sent as it is. After two slashes Go expects a host.
	if strings.HasPrefix(target, "//") {
		target = "//" + w.address + target
	}
	request.URL = &url.URL{Scheme: "http", Host: w.address, Opaque: target}
	for at := 0; at < len(headers); at += 2 {
		request.Header.Add(headers[at], headers[at+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.Fatal(err)
	}
	w.status, w.text = answer.StatusCode, strings.TrimRight(string(text), "\n")
}

func (w *world) expectStatus(status int) {
	w.Helper()
	if w.status != status {
		w.Fatalf("%d %s, not %d", w.status, w.text, status)
	}
}

func (w *world) expectText(status int, text string) {
	w.Helper()
	if w.status != status || w.text != text {
		w.Fatalf("%d %s, not %d %s", w.status, w.text, status, text)
	}
}

func (w *world) expectJSON(status int, value any) {
	w.Helper()
	w.expectStatus(status)
	if found, expected := written(tidy(w.found())), written(tidy(value)); found != expected {
		w.Fatalf("%s, not %s", found, expected)
	}
}

func (w *world) found() any {
	w.Helper()
	decoder := json.NewDecoder(strings.NewReader(w.text))
	decoder.UseNumber()
	var found any
	if err := decoder.Decode(&found); err != nil {
		w.Fatal(err, w.text)
	}
	return found
}

// created is the id of a new session.
func (w *world) created() string {
	w.Helper()
	w.expectStatus(http.StatusOK)
	return w.found().(object)["ID"].(string)
}

func (w *world) modifyIndex(target string) string {
	w.Helper()
	w.send("GET", target, "")
	w.expectStatus(http.StatusOK)
	return w.found().(list)[0].(object)["ModifyIndex"].(json.Number).String()
}

func (w *world) letPass(span string) {
	w.Helper()
	w.send("PUT", "/lictor/clock?advance="+span, "")
	w.expectStatus(http.StatusOK)
}

func (w *world) failOver() {
	w.Helper()
	w.send("PUT", "/lictor/failover", "")
	w.expectStatus(http.StatusOK)
}

// tidy is the value without what differs from server to server, its lists in one order.
func tidy(value any) any {
	switch value := value.(type) {
	case list:
		values := make(list, 0, len(value))
		for _, it := range value {
			values = append(values, tidy(it))
		}
		sort.Slice(values, func(a, b int) bool { return written(values[a]) < written(values[b]) })
		return values
	case object:
		members := object{}
		for name, it := range value {
			if name != "CreateIndex" && name != "ModifyIndex" && name != "Node" {
				members[name] = tidy(it)
			}
		}
		return members
	}
	return value
}

func written(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestWorld(t *testing.T) {
	server, err := testutil.NewTestServerConfigT(t, func(config *testutil.TestServerConfig) {
		config.Args = []string{FLAGS}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	w := &world{T: t, address: server.HTTPAddr}
"#;

/// Writes the test as a file of Go.
pub(crate) fn write(test: &Test) -> String {
    let flags = ["--clock".into(), "manual".into()].into_iter().chain(test.agent_flags());
    let flags: Vec<String> = flags.map(|flag| double_quoted(&flag)).collect();
    let mut text = language::head::<Go>(test, "go", RUN);
    text.push_str(&BEGIN.replace("FLAGS", &flags.join(", ")));
    text.push_str(&language::statements(&Go, test));
    text + "}\n"
}

impl Language for Go {
    const COMMENT: &'static str = "//";
    const INDENT: &'static str = "\t";
    const PLUS: &'static str = "+";
    const WORDS: [&'static str; 3] = ["nil", "true", "false"];

    fn quoted(&self, text: &str) -> String {
        double_quoted(text)
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        let bytes: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("\"{bytes}\"")
    }

    fn number(&self, number: &str) -> String {
        format!("json.Number(\"{number}\")")
    }

    fn list(&self, items: &[String]) -> String {
        format!("list{{{}}}", items.join(", "))
    }

    fn object(&self, members: &[String]) -> String {
        format!("object{{{}}}", members.join(", "))
    }

    fn send(&self, request: &SendWords) -> String {
        let SendWords { method, target, body, headers, .. } = request;
        let headers: String =
            headers.iter().map(|(name, value)| format!(", {name}, {value}")).collect();
        format!("w.send({method}, {target}, {body}{headers})")
    }

    fn created(&self, variable: Option<&str>) -> String {
        match variable {
            Some(variable) => format!("{variable} := w.created()"),
            None => "w.created()".into(),
        }
    }

    fn upper(&self, variable: &str, id: &str) -> String {
        format!("{variable} := strings.ToUpper({id})")
    }

    fn status(&self, status: u16) -> String {
        format!("w.expectStatus({status})")
    }

    fn text(&self, status: u16, text: &str) -> String {
        format!("w.expectText({status}, {text})")
    }

    fn json(&self, status: u16, json: &str) -> String {
        format!("w.expectJSON({status}, {json})")
    }

    fn read_index(&self, variable: &str, target: &str) -> String {
        format!("{variable} := w.modifyIndex({target})")
    }

    fn pass(&self, span: Duration) -> String {
        format!("w.letPass(\"{}s\")", language::seconds(span))
    }

    fn fail_over(&self) -> String {
        "w.failOver()".into()
    }
}
