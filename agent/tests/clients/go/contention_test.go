package clients

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
	"github.com/hashicorp/consul/sdk/testutil"
)

// Each names a program that contends for a lock: `PROGRAM ADDRESS KEY FILE ROUNDS HOLD_MS`. The words of the
// program are separated by spaces.
var (
	rust       = flag.String("rust", "", "the contender in Rust")
	javascript = flag.String("javascript", "", "the contender in JavaScript")
)

const rounds, holdTime = 10, 20 * time.Millisecond

// TestContention lets clients in several languages contend for one lock: no two act under it at once, and when
// one of them is killed, another one takes the lock.
func TestContention(t *testing.T) {
	if *rust == "" || *javascript == "" {
		t.Skip("-rust and -javascript name the other contenders")
	}
	short := filepath.Join(t.TempDir(), "ttl.hcl")
	if err := os.WriteFile(short, []byte(`session_ttl_min = "500ms"`), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := testutil.NewTestServerConfigT(t, func(config *testutil.TestServerConfig) {
		config.Args = []string{"-config-file", short}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	config := api.DefaultConfig()
	config.Address = server.HTTPAddr
	client, err := api.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	contention := &contention{client: client, address: "http://" + server.HTTPAddr, folder: t.TempDir()}
	t.Run("four clients exclude each other", contention.exclude)
	for _, command := range []string{*rust, *javascript} {
		t.Run("a killed client loses its lock: "+command, func(t *testing.T) { contention.takeover(t, command) })
	}
}

type contention struct {
	client  *api.Client
	address string
	folder  string
}

// exclude runs Lictor's recipe of `consul lock` as well, which holds the key `.lock` under its prefix.
func (c *contention) exclude(t *testing.T) {
	file := c.file(t, "exclude")
	var group sync.WaitGroup
	run := func(name string, work func() error) {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := work(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}()
	}
	for _, command := range []string{*rust, *javascript} {
		run(command, c.contender(command, "mixed/.lock", file, rounds, holdTime).Run)
	}
	run("go", func() error { return c.contend("mixed/.lock", file) })
	run("consul lock", exec.Command(*recipes, "--addr", c.address, "--count", "1", "--hold", "20ms",
		"--again", "20ms", "--ttl", "1s", "--for", "3s", "consul-lock", "--key", "mixed").Run)
	group.Wait()
	seen := lines(t, file)
	if len(seen) != 3*rounds*2 {
		t.Errorf("each of three clients acts %d times: %d lines", rounds, len(seen))
	}
	for i := 0; i+1 < len(seen); i += 2 {
		name := strings.TrimSuffix(seen[i], " begins")
		if name == seen[i] || seen[i+1] != name+" stops" {
			t.Fatalf("two clients acted at once: %v", seen[max(0, i-2):min(len(seen), i+4)])
		}
	}
	if sessions, _, err := c.client.Session().List(nil); err != nil || len(sessions) != 0 {
		t.Errorf("no session is left: %d, %v", len(sessions), err)
	}
}

// contend is the lock of HashiCorp's client.
func (c *contention) contend(key, file string) error {
	for round := 0; round < rounds; round++ {
		options := &api.LockOptions{Key: key, SessionTTL: "1s", LockDelay: time.Millisecond}
		lock, err := c.client.LockOpts(options)
		if err != nil {
			return err
		}
		if lost, err := lock.Lock(nil); err != nil || lost == nil {
			return fmt.Errorf("lock: %v", err)
		}
		if err := write(file, "go begins\n"); err != nil {
			return err
		}
		time.Sleep(holdTime)
		if err := all(write(file, "go stops\n"), lock.Unlock()); err != nil {
			return err
		}
	}
	return nil
}

func (c *contention) takeover(t *testing.T, command string) {
	key, file := "killed/"+filepath.Base(command), c.file(t, "killed-"+filepath.Base(command))
	holder := c.contender(command, key, file, 1, time.Hour)
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Process.Kill() }()
	for end := time.Now().Add(long); len(lines(t, file)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not acquire the lock")
		}
	}
	lock, err := c.client.LockOpts(&api.LockOptions{Key: key, LockDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	acquired := make(chan error, 1)
	go func() {
		_, err := lock.Lock(nil)
		acquired <- err
	}()
	// It renews its session, which would have ended by now.
	select {
	case err := <-acquired:
		t.Fatalf("two clients hold the lock: %v", err)
	case <-time.After(3 * time.Second):
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	select {
	case err := <-acquired:
		if err := all(err, lock.Unlock()); err != nil {
			t.Fatal(err)
		}
	case <-time.After(long):
		t.Fatal("its lock is not free after twice its TTL")
	}
}

func (c *contention) contender(command, key, file string, rounds int, hold time.Duration) *exec.Cmd {
	words := append(strings.Fields(command), c.address, key, file, fmt.Sprint(rounds), fmt.Sprint(hold.Milliseconds()))
	contender := exec.Command(words[0], words[1:]...)
	contender.Stderr = os.Stderr
	return contender
}

func (c *contention) file(t *testing.T, name string) string {
	path := filepath.Join(c.folder, name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// write appends a line by one call, so that lines of several processes are not mixed.
func write(path, line string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line)
	return all(err, file.Close())
}

func lines(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(end rune) bool { return end == '\n' })
}
