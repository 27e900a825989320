// A test that reproduces a world of Lictor, written by `lictor-agent export go`. It sends what
// reached the server of that world, in the same order and after the same times, and asserts the
// answers; times count from the beginning of the world. s1, s2 and so on are the sessions in the
// order in which they are created. Indexes and the names of nodes are not compared, nor are
// objects and lists in answers that are not about keys, sessions or transactions. What happens
// between clients and the server (a cut, a lost answer, a paused process) is only in comments. A
// blocking query is sent without waiting when its answer is due, and one without an answer is left
// out, as are requests about a client's own agent.
//
// Put it into a folder of its own. It needs the module github.com/hashicorp/consul/sdk, and on the
// PATH a program `consul` that runs `exec lictor-agent "$@"`.
package world

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
		config.Args = []string{"--clock", "manual"}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	w := &world{T: t, address: server.HTTPAddr}
	// 0.000s web-1
	w.send("PUT", "/v1/session/create", "{\"TTL\":\"10s\"}")
	s1 := w.created()
	// 0.000s web-1
	w.send("PUT", "/v1/kv/lead?acquire="+s1, "web-1")
	w.expectText(200, "true")
	w.letPass("1s")
	// 1.000s web-1: crashes memory=lost
	w.letPass("17s")
	w.failOver()
}
