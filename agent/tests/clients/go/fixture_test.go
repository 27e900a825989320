// An agent for each test, started without HashiCorp's harness, so that tests run in parallel.
package clients

// ANCHOR: fixture
import (
	"bufio"
	"bytes"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
)

// startLictor gives the URL of an agent on a free port, which lives as long as the test. If the test fails, it
// prints the agent's log.
func startLictor(t *testing.T, flags ...string) string {
	t.Helper()
	var log bytes.Buffer
	flags = append([]string{"--addr", "127.0.0.1:0", "--log-level", "debug"}, flags...)
	agent := exec.Command("lictor-agent", flags...)
	agent.Stderr = &log
	output, err := agent.StdoutPipe()
	if err == nil {
		err = agent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = agent.Process.Kill()
		_ = agent.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	line, _ := bufio.NewReader(output).ReadString('\n')
	_, url, ready := strings.Cut(strings.TrimSpace(line), " serves ")
	if !ready {
		t.Fatal("the agent did not start")
	}
	return url
}

// ANCHOR_END: fixture

func put(t *testing.T, url string) {
	t.Helper()
	request, _ := http.NewRequest(http.MethodPut, url, nil)
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(url, answer, err)
	}
	_ = answer.Body.Close()
}

func TestFixture(t *testing.T) {
	for _, key := range []string{"a", "b", "c", "d"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			lostLock(t, key)
		})
	}
}

// ANCHOR: lost
func lostLock(t *testing.T, key string) {
	url := startLictor(t)
	client, err := api.NewClient(&api.Config{Address: url})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := client.LockKey(key)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := lock.Lock(nil)
	if err != nil {
		t.Fatal(err)
	}
	sessions, _, err := client.Session().List(nil)
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	put(t, url+"/lictor/expire?session="+sessions[0].ID)
	select {
	case <-lost:
	case <-time.After(10 * time.Second):
		t.Fatal("the holder does not notice that its session has ended")
	}
}

// ANCHOR_END: lost
