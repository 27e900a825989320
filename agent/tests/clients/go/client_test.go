// HashiCorp's Go client against an agent that HashiCorp's test harness starts under the name
// `consul`: what the tests of the client's own module leave out, among them Lictor's lock and
// semaphore programs beside those of the client. The agent is the first `consul` on the PATH.
package clients

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
	_ "github.com/hashicorp/consul/api/watch" // its tests run too
	"github.com/hashicorp/consul/sdk/testutil"
)

var (
	recipes = flag.String("recipes", "recipes", "the program that runs Lictor's lock and semaphore")
	client  *api.Client
	server  *testutil.TestServer
)

var checks = []struct {
	name  string
	check func(t *testing.T) error
}{
	{"a session lives, is renewed and ends", session},
	{"keys are written, listed and deleted", keys},
	{"check-and-set takes the index that was read", checkAndSet},
	{"one session holds a lock", heldKey},
	{"the lock recipe passes a lock on", lockRecipe},
	{"the lock recipe notices that its lock is lost", lockLost},
	{"the lock recipe waits for a lock-delay", lockTryOnce},
	{"the semaphore recipe admits as many as its limit", semaphoreRecipe},
	{"Lictor's lock and the Go client's exclude each other", locksBeside},
	{"Lictor's semaphore and the Go client's share their slots", semaphoresBeside},
	{"a transaction is done as a whole or not at all", transaction},
	{"a watch is woken by a write", watch},
	{"the catalog and the agent answer", catalog},
	{"the helpers of the test harness work", harnessHelpers},
	{"services are found by name, tag and health", discovery},
	{"members, events and facts are those of one server", cluster},
	{"a session ends with its check", endingCheck},
}

// ANCHOR: start
func TestClient(t *testing.T) {
	var err error
	if server, err = testutil.NewTestServerConfigT(t, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	config := api.DefaultConfig()
	config.Address = server.HTTPAddr
	if client, err = api.NewClient(config); err != nil {
		t.Fatal(err)
	}
// ANCHOR_END: start
	for _, it := range checks {
		t.Run(it.name, func(t *testing.T) {
			if err := it.check(t); err != nil {
				t.Error(err)
			}
		})
	}
}

// expect is an error where something is not as it should be.
func expect(is bool, what string, found any) error {
	if is {
		return nil
	}
	return fmt.Errorf("%s: %v", what, found)
}

// all is the first error of several.
func all(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func newSession(entry *api.SessionEntry) (string, error) {
	id, _, err := client.Session().Create(entry, nil)
	return id, err
}

func session(*testing.T) error {
	entry := &api.SessionEntry{Name: "web", TTL: "30s", Behavior: api.SessionBehaviorDelete,
		LockDelay: 5 * time.Second}
	id, err := newSession(entry)
	if err != nil {
		return err
	}
	info, meta, err := client.Session().Info(id, nil)
	if err != nil {
		return err
	}
	renewed, _, err := client.Session().Renew(id, nil)
	if err != nil {
		return err
	}
	list, _, err := client.Session().List(nil)
	if err != nil {
		return err
	}
	node, _, err := client.Session().Node(info.Node, nil)
	if err != nil {
		return err
	}
	_, err = client.Session().Destroy(id, nil)
	if err != nil {
		return err
	}
	gone, _, err := client.Session().Info(id, nil)
	missing, _, renewal := client.Session().Renew(id, nil)
	return all(err, renewal,
		expect(info.Name == "web" && info.TTL == "30s", "info", info),
		expect(info.LockDelay == 5*time.Second, "lock-delay", info.LockDelay),
		expect(info.Behavior == "delete", "behavior", info.Behavior),
		expect(meta.LastIndex > 0 && meta.KnownLeader, "meta", meta),
		expect(renewed.ID == id, "renewed", renewed),
		expect(len(list) == 1 && len(node) == 1, "lists", list),
		expect(gone == nil && missing == nil, "gone", gone))
}

func keys(*testing.T) error {
	kv := client.KV()
	value := []byte{0, 1, 2, 255, '<', '&'}
	if _, err := kv.Put(&api.KVPair{Key: "app/b ö/c", Value: value, Flags: 42}, nil); err != nil {
		return err
	}
	if _, err := kv.Put(&api.KVPair{Key: "app/a"}, nil); err != nil {
		return err
	}
	pair, _, err := kv.Get("app/b ö/c", nil)
	if err != nil {
		return err
	}
	list, _, err := kv.List("app/", nil)
	if err != nil {
		return err
	}
	names, _, err := kv.Keys("app/", "/", nil)
	if err != nil {
		return err
	}
	if _, err := kv.DeleteTree("app/", nil); err != nil {
		return err
	}
	gone, _, err := kv.Get("app/a", nil)
	_, refused := kv.Put(&api.KVPair{Key: "large", Value: make([]byte, 600000)}, nil)
	return all(err,
		expect(bytes.Equal(pair.Value, value) && pair.Flags == 42, "pair", pair),
		expect(len(list) == 2 && list[0].Key == "app/a", "list", list),
		expect(len(names) == 2 && names[1] == "app/b ö/", "keys", names),
		expect(gone == nil, "deleted", gone),
		expect(refused != nil, "too large", refused))
}

func checkAndSet(*testing.T) error {
	kv := client.KV()
	pair := &api.KVPair{Key: "cas", Value: []byte("1")}
	created, _, err := kv.CAS(pair, nil)
	if err != nil {
		return err
	}
	again, _, err := kv.CAS(pair, nil)
	if err != nil {
		return err
	}
	read, _, err := kv.Get("cas", nil)
	if err != nil {
		return err
	}
	read.Value = []byte("2")
	updated, _, err := kv.CAS(read, nil)
	if err != nil {
		return err
	}
	stale, _, err := kv.DeleteCAS(read, nil)
	return all(err,
		expect(created && !again && updated && !stale, "answers", []bool{created, again, updated, stale}))
}

func heldKey(*testing.T) error {
	kv := client.KV()
	one, err := newSession(&api.SessionEntry{Name: "one"})
	if err != nil {
		return err
	}
	two, err := newSession(&api.SessionEntry{Name: "two"})
	if err != nil {
		return err
	}
	first, _, err := kv.Acquire(&api.KVPair{Key: "held", Session: one}, nil)
	if err != nil {
		return err
	}
	second, _, err := kv.Acquire(&api.KVPair{Key: "held", Session: two}, nil)
	if err != nil {
		return err
	}
	pair, _, err := kv.Get("held", nil)
	if err != nil {
		return err
	}
	foreign, _, err := kv.Release(&api.KVPair{Key: "held", Session: two}, nil)
	if err != nil {
		return err
	}
	released, _, err := kv.Release(&api.KVPair{Key: "held", Session: one}, nil)
	return all(err,
		expect(first && !second, "acquire", []bool{first, second}),
		expect(pair.Session == one && pair.LockIndex == 1, "held", pair),
		expect(!foreign && released, "release", []bool{foreign, released}))
}

func lockRecipe(*testing.T) error {
	one, err := client.LockOpts(&api.LockOptions{Key: "recipe/lock", Value: []byte("one")})
	if err != nil {
		return err
	}
	two, err := client.LockOpts(&api.LockOptions{Key: "recipe/lock", Value: []byte("two")})
	if err != nil {
		return err
	}
	if lost, err := one.Lock(nil); err != nil || lost == nil {
		return fmt.Errorf("first lock: %v", err)
	}
	acquired := make(chan error, 1)
	go func() {
		_, err := two.Lock(nil)
		acquired <- err
	}()
	select {
	case err := <-acquired:
		return fmt.Errorf("two hold the lock: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := one.Unlock(); err != nil {
		return err
	}
	if err := <-acquired; err != nil {
		return err
	}
	pair, _, err := client.KV().Get("recipe/lock", nil)
	if err != nil {
		return err
	}
	inUse := one.Destroy()
	return all(two.Unlock(), two.Destroy(),
		expect(string(pair.Value) == "two", "value", pair),
		expect(inUse == api.ErrLockInUse, "destroy of a held lock", inUse))
}

func lockLost(*testing.T) error {
	lock, err := client.LockOpts(&api.LockOptions{Key: "recipe/lost"})
	if err != nil {
		return err
	}
	lost, err := lock.Lock(nil)
	if err != nil {
		return err
	}
	if _, err := client.KV().Delete("recipe/lost", nil); err != nil {
		return err
	}
	select {
	case <-lost:
		return nil
	case <-time.After(10 * time.Second):
		return fmt.Errorf("the loss went unnoticed")
	}
}

func lockTryOnce(*testing.T) error {
	id, err := newSession(&api.SessionEntry{LockDelay: time.Second})
	if err != nil {
		return err
	}
	if _, _, err := client.KV().Acquire(&api.KVPair{Key: "recipe/once", Session: id,
		Flags: api.LockFlagValue}, nil); err != nil {
		return err
	}
	options := &api.LockOptions{Key: "recipe/once", LockTryOnce: true,
		LockWaitTime: 300 * time.Millisecond}
	lock, err := client.LockOpts(options)
	if err != nil {
		return err
	}
	held, err := lock.Lock(nil)
	if err != nil {
		return err
	}
	if _, err := client.Session().Destroy(id, nil); err != nil {
		return err
	}
	patient, err := client.LockOpts(&api.LockOptions{Key: "recipe/once"})
	if err != nil {
		return err
	}
	began := time.Now()
	delayed, err := patient.Lock(nil)
	if err != nil {
		return err
	}
	took := time.Since(began)
	return all(patient.Unlock(),
		expect(held == nil, "tried once", held),
		expect(delayed != nil && took >= time.Second, "the delay", took))
}

func semaphoreRecipe(*testing.T) error {
	var semaphores []*api.Semaphore
	for i := 0; i < 3; i++ {
		semaphore, err := client.SemaphorePrefix("recipe/slots", 2)
		if err != nil {
			return err
		}
		semaphores = append(semaphores, semaphore)
	}
	for _, semaphore := range semaphores[:2] {
		if lost, err := semaphore.Acquire(nil); err != nil || lost == nil {
			return fmt.Errorf("a free slot: %v", err)
		}
	}
	acquired := make(chan error, 1)
	go func() {
		_, err := semaphores[2].Acquire(nil)
		acquired <- err
	}()
	select {
	case err := <-acquired:
		return fmt.Errorf("three hold two slots: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := semaphores[0].Release(); err != nil {
		return err
	}
	if err := <-acquired; err != nil {
		return err
	}
	return all(semaphores[1].Release(), semaphores[2].Release(), semaphores[0].Destroy())
}

// beside is a client of Lictor's own that runs next to this one.
type beside struct {
	command *exec.Cmd
	lines   chan string
	seen    []string
}

func startBeside(arguments ...string) (*beside, error) {
	command := exec.Command(*recipes, append([]string{"--addr", "http://" + server.HTTPAddr,
		"--count", "1", "--again", "0", "--wait", "1s"}, arguments...)...)
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return &beside{command: command, lines: lines}, nil
}

// says waits until a line of its story holds a text; false if that takes too long.
func (it *beside) says(text string, patience time.Duration) bool {
	for end := time.After(patience); ; {
		select {
		case line, open := <-it.lines:
			it.seen = append(it.seen, line)
			if strings.Contains(line, text) || !open {
				return open
			}
		case <-end:
			return false
		}
	}
}

// ends waits until it has ended, and was content.
func (it *beside) ends() error {
	for line := range it.lines {
		it.seen = append(it.seen, line)
	}
	if err := it.command.Wait(); err != nil {
		return fmt.Errorf("%v: %s", err, strings.Join(it.seen, "; "))
	}
	return nil
}

const soon, long = 300 * time.Millisecond, 20 * time.Second

func locksBeside(*testing.T) error {
	lock, err := client.LockOpts(&api.LockOptions{Key: "recipe/beside"})
	if err != nil {
		return err
	}
	if lost, err := lock.Lock(nil); err != nil || lost == nil {
		return fmt.Errorf("lock: %v", err)
	}
	ours, err := startBeside("lock", "--key", "recipe/beside", "--hold", "1s", "--for", "4s")
	if err != nil {
		return err
	}
	created := ours.says("session", long)
	early := ours.says("acquired", soon)
	if err := lock.Unlock(); err != nil {
		return err
	}
	acquired := ours.says("acquired", long)
	began := time.Now()
	lost, err := lock.Lock(nil)
	took := time.Since(began)
	return all(err, lock.Unlock(), ours.ends(),
		expect(created && !early, "while the Go client holds", ours.seen),
		expect(acquired, "after it", ours.seen),
		expect(lost != nil && took > soon, "the Go client waits", took))
}

func semaphoresBeside(*testing.T) error {
	first, err := client.SemaphorePrefix("recipe/shared", 2)
	if err != nil {
		return err
	}
	if lost, err := first.Acquire(nil); err != nil || lost == nil {
		return fmt.Errorf("a free slot: %v", err)
	}
	ours, err := startBeside("semaphore", "--key", "recipe/shared", "--limit", "2",
		"--hold", "1s", "--for", "4s")
	if err != nil {
		return err
	}
	acquired := ours.says("acquired", long)
	third, err := client.SemaphorePrefix("recipe/shared", 2)
	if err != nil {
		return err
	}
	began := time.Now()
	lost, err := third.Acquire(nil)
	took := time.Since(began)
	return all(err, third.Release(), first.Release(), ours.ends(), first.Destroy(),
		expect(acquired, "the second slot", ours.seen),
		expect(lost != nil && took > soon, "the third waits", took))
}

func transaction(*testing.T) error {
	set := func(key string) *api.TxnOp {
		return &api.TxnOp{KV: &api.KVTxnOp{Verb: api.KVSet, Key: key, Value: []byte("v")}}
	}
	get := &api.TxnOp{KV: &api.KVTxnOp{Verb: api.KVGet, Key: "txn/a"}}
	done, response, _, err := client.Txn().Txn(api.TxnOps{set("txn/a"), set("txn/b"), get}, nil)
	if err != nil {
		return err
	}
	absent := &api.TxnOp{KV: &api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "txn/a"}}
	refused, errors, _, err := client.Txn().Txn(api.TxnOps{set("txn/c"), absent}, nil)
	if err != nil {
		return err
	}
	left, _, err := client.KV().Get("txn/c", nil)
	return all(err,
		expect(done && len(response.Results) == 3, "done", response),
		expect(string(response.Results[2].KV.Value) == "v", "read", response),
		expect(!refused && len(errors.Errors) == 1, "refused", errors),
		expect(errors.Errors[0].OpIndex == 1, "position", errors.Errors[0]),
		expect(left == nil, "left behind", left))
}

func watch(*testing.T) error {
	kv := client.KV()
	if _, err := kv.Put(&api.KVPair{Key: "watch", Value: []byte("1")}, nil); err != nil {
		return err
	}
	_, meta, err := kv.Get("watch", nil)
	if err != nil {
		return err
	}
	seen := make(chan *api.KVPair, 1)
	go func() {
		pair, _, _ := kv.Get("watch", &api.QueryOptions{WaitIndex: meta.LastIndex})
		seen <- pair
	}()
	select {
	case pair := <-seen:
		return fmt.Errorf("woken by nothing: %v", pair)
	case <-time.After(200 * time.Millisecond):
	}
	if _, err := kv.Put(&api.KVPair{Key: "watch", Value: []byte("2")}, nil); err != nil {
		return err
	}
	pair := <-seen
	began := time.Now()
	options := &api.QueryOptions{WaitIndex: pair.ModifyIndex, WaitTime: 300 * time.Millisecond}
	_, after, err := kv.Get("watch", options)
	return all(err,
		expect(string(pair.Value) == "2", "seen", pair),
		expect(after.LastIndex == pair.ModifyIndex, "time-out", after),
		expect(time.Since(began) >= 300*time.Millisecond, "wait", time.Since(began)))
}

func catalog(*testing.T) error {
	self, err := client.Agent().Self()
	if err != nil {
		return err
	}
	nodes, meta, err := client.Catalog().Nodes(nil)
	if err != nil {
		return err
	}
	leader, err := client.Status().Leader()
	if err != nil {
		return err
	}
	name := server.Config.NodeName
	health, _, err := client.Health().Node(name, nil)
	return all(err,
		expect(self["Config"]["NodeName"] == name, "self", self),
		expect(len(nodes) == 1 && nodes[0].Node == name, "nodes", nodes),
		expect(nodes[0].ID == server.Config.NodeID, "the id of the node", nodes[0]),
		expect(meta.LastIndex >= 2, "the index that older harnesses wait for", meta),
		expect(leader != "", "leader", leader),
		expect(len(health) == 1 && health[0].Status == api.HealthPassing, "health", health))
}

func endingCheck(*testing.T) error {
	agent := client.Agent()
	check := &api.AgentCheckRegistration{ID: "beat", Name: "beat",
		AgentServiceCheck: api.AgentServiceCheck{TTL: "30s", Status: api.HealthPassing}}
	if err := agent.CheckRegister(check); err != nil {
		return err
	}
	id, err := newSession(&api.SessionEntry{NodeChecks: []string{"serfHealth", "beat"}})
	if err != nil {
		return err
	}
	if err := agent.UpdateTTL("beat", "down", api.HealthCritical); err != nil {
		return err
	}
	gone, _, err := client.Session().Info(id, nil)
	return all(err, agent.CheckDeregister("beat"), expect(gone == nil, "gone", gone))
}

// harnessHelpers calls what the harness offers to tests that have no client of their own.
func harnessHelpers(t *testing.T) error {
	server.WaitForLeader(t)
	server.WaitForVoting(t)
	server.WaitForSerfCheck(t)
	server.SetKVString(t, "harness/a", "1")
	server.PopulateKV(t, map[string][]byte{"harness/b": []byte("2")})
	value, keys := server.GetKVString(t, "harness/a"), server.ListKV(t, "harness/")
	server.AddAddressableService(t, "redis", testutil.HealthPassing, "10.0.0.9", 6379, []string{"primary"})
	server.AddCheck(t, "redis-memory", "redis", testutil.HealthWarning)
	found, _, err := client.Health().Service("redis", "primary", false, nil)
	if err != nil {
		return err
	}
	deregistered := client.Agent().ServiceDeregister("redis")
	return all(deregistered,
		expect(value == "1" && len(keys) == 2, "keys", keys),
		expect(len(found) == 1 && found[0].Service.Port == 6379, "service", found),
		expect(found[0].Checks.AggregatedStatus() == api.HealthWarning, "checks", found[0].Checks))
}

func discovery(*testing.T) error {
	service := &api.AgentServiceRegistration{ID: "web-1", Name: "web", Port: 80, Address: "10.0.0.2",
		Tags: []string{"v1"}, Meta: map[string]string{"rack": "r1"},
		Check: &api.AgentServiceCheck{CheckID: "web-1", TTL: "30s", Status: api.HealthPassing}}
	agent := client.Agent()
	if err := agent.ServiceRegister(service); err != nil {
		return err
	}
	passing, meta, err := client.Health().Service("web", "v1", true, nil)
	if err != nil {
		return err
	}
	woken := make(chan []*api.ServiceEntry, 1)
	go func() {
		entries, _, _ := client.Health().Service("web", "", true, &api.QueryOptions{WaitIndex: meta.LastIndex})
		woken <- entries
	}()
	if err := agent.UpdateTTL("web-1", "down", api.HealthCritical); err != nil {
		return err
	}
	left := <-woken
	own, _, err := agent.Service("web-1", nil)
	if err != nil {
		return err
	}
	status, _, err := agent.AgentHealthServiceByName("web")
	if err != nil {
		return err
	}
	query := &api.PreparedQueryDefinition{Name: "web", Service: api.ServiceQuery{Service: "web"}}
	if _, _, err := client.PreparedQuery().Create(query, nil); err != nil {
		return err
	}
	executed, _, err := client.PreparedQuery().Execute("web", nil)
	if err != nil {
		return err
	}
	list, _, err := client.Catalog().NodeServiceList(server.Config.NodeName, nil)
	if err != nil {
		return err
	}
	filtered, _, err := client.Health().Service("web", "", false, &api.QueryOptions{Filter: "Service.Port == 80"})
	if err != nil {
		return err
	}
	_, _, refused := client.Health().Service("web", "", false, &api.QueryOptions{Filter: "Service.Prt == 80"})
	return all(agent.ServiceDeregister("web-1"),
		expect(len(passing) == 1 && passing[0].Service.Meta["rack"] == "r1", "passing", passing),
		expect(len(left) == 0, "after the check has failed", left),
		expect(own.Port == 80 && own.ContentHash != "", "own service", own),
		expect(status == api.HealthCritical, "health", status),
		expect(len(executed.Nodes) == 0, "a query skips critical instances", executed),
		expect(len(list.Services) == 2, "services of the node", list),
		expect(len(filtered) == 1, "a filter", filtered),
		expect(refused != nil && strings.Contains(refused.Error(), "Prt"), "a wrong filter", refused))
}

func cluster(*testing.T) error {
	members, err := client.Agent().Members(false)
	if err != nil {
		return err
	}
	options, err := client.Agent().MembersOpts(api.MembersOpts{WAN: true, Segment: api.AllSegments})
	if err != nil {
		return err
	}
	self, err := client.Agent().Self()
	if err != nil {
		return err
	}
	id, _, err := client.Event().Fire(&api.UserEvent{Name: "deploy", Payload: []byte("v2")}, nil)
	if err != nil {
		return err
	}
	events, meta, err := client.Event().List("deploy", nil)
	return all(err,
		expect(len(members) == 1 && members[0].Status == 1, "members", members),
		expect(len(options) == 1 && options[0].Name == server.Config.NodeName+".dc1", "wide", options),
		expect(self["Stats"]["raft"] != nil, "stats", self["Stats"]),
		expect(len(events) == 1 && events[0].ID == id && string(events[0].Payload) == "v2", "events", events),
		expect(meta.LastIndex == client.Event().IDToIndex(id), "the index of a list", meta))
}
