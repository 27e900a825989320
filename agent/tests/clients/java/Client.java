// The Java library `consul-client` against an agent whose address is the first argument: sessions, keys,
// check-and-set, locks, transactions, watches, service discovery. The agent runs with a manual clock, which
// only this program advances.

import com.google.common.net.HostAndPort;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.kiwiproject.consul.Consul;
import org.kiwiproject.consul.ConsulException;
import org.kiwiproject.consul.KeyValueClient;
import org.kiwiproject.consul.SessionClient;
import org.kiwiproject.consul.cache.KVCache;
import org.kiwiproject.consul.model.agent.ImmutableRegistration;
import org.kiwiproject.consul.model.agent.Registration.RegCheck;
import org.kiwiproject.consul.model.kv.ImmutableOperation;
import org.kiwiproject.consul.model.kv.Operation;
import org.kiwiproject.consul.model.kv.Value;
import org.kiwiproject.consul.model.kv.Verb;
import org.kiwiproject.consul.model.session.ImmutableSession;
import org.kiwiproject.consul.option.ImmutablePutOptions;

public final class Client {
    private interface Check {
        void run() throws Exception;
    }

    private final String address;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Consul consul;
    private final KeyValueClient keys;
    private final SessionClient sessions;

    private Client(String address) {
        this.address = address;
        consul = Consul.builder().withHostAndPort(HostAndPort.fromString(address)).build();
        keys = consul.keyValueClient();
        sessions = consul.sessionClient();
    }

    public static void main(String[] arguments) {
        Client client = new Client(arguments[0]);
        int failed = 0;
        Map<String, Check> checks = client.checks();
        for (Map.Entry<String, Check> check : checks.entrySet()) {
            try {
                check.getValue().run();
                System.out.printf("test %s ... ok%n", check.getKey());
            } catch (Exception | AssertionError error) {
                failed++;
                System.out.printf("test %s ... FAILED: %s%n", check.getKey(), error);
            }
        }
        String word = failed == 0 ? "ok" : "FAILED";
        int passed = checks.size() - failed;
        System.out.printf("test result: %s. %d passed; %d failed;%n", word, passed, failed);
        client.consul.destroy();
        System.exit(failed == 0 ? 0 : 1);
    }

    private Map<String, Check> checks() {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("a session lives, is renewed and ends", this::session);
        checks.put("a session that is not renewed ends", this::expiredSession);
        checks.put("keys are written, listed and deleted", this::keys);
        checks.put("check-and-set takes the index that was read", this::checkAndSet);
        checks.put("one session holds a lock", this::lock);
        checks.put("a lock that was lost is free after its lock-delay", this::lockDelay);
        checks.put("a transaction is done as a whole or not at all", this::transaction);
        checks.put("a watch is woken by a write", this::watch);
        checks.put("services are found by their health", this::services);
        return checks;
    }

    private void session() {
        var session = ImmutableSession.builder().name("web").ttl("30s").behavior("delete").lockDelay("5s");
        String id = sessions.createSession(session.build()).getId();
        var info = sessions.getSessionInfo(id).orElseThrow();
        expect("web".equals(info.getName().orElseThrow()), "name", info);
        expect("30s".equals(info.getTtl().orElseThrow()), "TTL", info);
        expect(id.equals(sessions.renewSession(id).orElseThrow().getId()), "renewed", id);
        expect(sessions.listSessions().size() == 1, "list", sessions.listSessions());
        sessions.destroySession(id);
        expect(sessions.getSessionInfo(id).isEmpty(), "gone", id);
        expect(status(() -> sessions.renewSession(id)) == 404, "renewal of a session that has ended", id);
    }

    private void expiredSession() throws Exception {
        String id = newSession("10s");
        expect(keys.acquireLock("java/expired", id), "acquired", id);
        advance("20s");
        expect(sessions.getSessionInfo(id).isEmpty(), "gone", id);
        expect(keys.getSession("java/expired").isEmpty(), "free", id);
    }

    private void keys() {
        expect(keys.putValue("app/b ö/c", "<&>ö", 42L), "put", "");
        expect(keys.putValue("app/a", "1"), "put", "");
        Value value = keys.getValue("app/b ö/c").orElseThrow();
        expect(value.getFlags() == 42 && "<&>ö".equals(value.getValueAsString().orElseThrow()), "value", value);
        expect(keys.getValues("app/").size() == 2, "values", keys.getValues("app/"));
        List<String> names = keys.getKeys("app/", "/");
        expect(names.equals(List.of("app/a", "app/b ö/")), "keys", names);
        keys.deleteKeys("app/");
        expect(keys.getValue("app/a").isEmpty(), "deleted", "");
    }

    private void checkAndSet() {
        var absent = ImmutablePutOptions.builder().cas(0L).build();
        expect(keys.putValue("cas", "1", 0L, absent), "created", "");
        expect(!keys.putValue("cas", "2", 0L, absent), "exists", "");
        long index = keys.getValue("cas").orElseThrow().getModifyIndex();
        var read = ImmutablePutOptions.builder().cas(index).build();
        expect(keys.putValue("cas", "2", 0L, read), "read", index);
        expect(!keys.putValue("cas", "3", 0L, read), "stale", index);
    }

    private void lock() {
        String one = newSession("30s");
        String two = newSession("30s");
        expect(keys.acquireLock("java/lock", "one", one), "first", one);
        expect(!keys.acquireLock("java/lock", "two", two), "second", two);
        expect(one.equals(keys.getSession("java/lock").orElseThrow()), "holder", one);
        expect(!keys.releaseLock("java/lock", two), "released by another", two);
        expect(keys.releaseLock("java/lock", one), "released", one);
        expect(keys.acquireLock("java/lock", "two", two), "then the other", two);
        sessions.destroySession(one);
        sessions.destroySession(two);
    }

    // ANCHOR: delay
    private void lockDelay() throws Exception {
        String lost = newSession("30s");
        String next = newSession("60s");
        expect(keys.acquireLock("java/delayed", lost), "acquired", lost);
        sessions.destroySession(lost);
        expect(!keys.acquireLock("java/delayed", next), "in the lock-delay", next);
        advance("15s");
        expect(keys.acquireLock("java/delayed", next), "after it", next);
        sessions.destroySession(next);
    }
    // ANCHOR_END: delay

    private void transaction() {
        Operation set = operation(Verb.SET, "txn/a");
        var done = keys.performTransaction(set, operation(Verb.GET, "txn/a"));
        expect(done.getResponse().results().size() == 2, "done", done.getResponse());
        Operation absent = ImmutableOperation.builder(Verb.CHECK_INDEX).key("txn/a").index(BigInteger.ONE).build();
        int refused = status(() -> keys.performTransaction(operation(Verb.SET, "txn/b"), absent));
        expect(refused == 409, "refused", refused);
        expect(keys.getValue("txn/b").isEmpty(), "left behind", "txn/b");
    }

    private void watch() throws Exception {
        keys.putValue("watch/a", "1");
        var seen = new ArrayBlockingQueue<String>(8);
        try (KVCache cache = KVCache.newCache(keys, "watch/", 9)) {
            cache.addListener(values -> seen.add(values.get("a").getValueAsString().orElse("")));
            cache.start();
            expect("1".equals(seen.poll(10, TimeUnit.SECONDS)), "the first value", "watch/a");
            untilOneQueryWaits();
            keys.putValue("watch/a", "2");
            expect("2".equals(seen.poll(10, TimeUnit.SECONDS)), "the next value", "watch/a");
        }
    }

    private void services() throws Exception {
        var web = ImmutableRegistration.builder().id("web-1").name("web").port(80).address("10.0.0.2");
        var agent = consul.agentClient();
        agent.register(web.check(RegCheck.ttl(30)).build());
        var health = consul.healthClient();
        expect(health.getHealthyServiceInstances("web").getResponse().isEmpty(), "before its first pass", "");
        agent.pass("web-1");
        var healthy = health.getHealthyServiceInstances("web").getResponse();
        expect(healthy.size() == 1 && healthy.get(0).getService().getPort() == 80, "healthy", healthy);
        expect(agent.getServices().containsKey("web-1"), "services", agent.getServices());
        expect(agent.getMembers().size() == 1, "members", agent.getMembers());
        advance("30s");
        expect(health.getHealthyServiceInstances("web").getResponse().isEmpty(), "after its TTL", "");
        agent.deregister("web-1");
        expect(agent.getServices().isEmpty(), "deregistered", agent.getServices());
    }

    private String newSession(String ttl) {
        return sessions.createSession(ImmutableSession.builder().ttl(ttl).build()).getId();
    }

    private static Operation operation(Verb verb, String key) {
        var operation = ImmutableOperation.builder(verb).key(key);
        return verb == Verb.SET ? operation.value("v").build() : operation.build();
    }

    /** The HTTP status with which a call is refused. */
    private static int status(Runnable call) {
        try {
            call.run();
            return 200;
        } catch (ConsulException error) {
            return error.getCode();
        }
    }

    // ANCHOR: advance
    private void advance(String span) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/lictor/clock?advance=" + span));
        var answer = http.send(request.PUT(HttpRequest.BodyPublishers.noBody()).build(),
                HttpResponse.BodyHandlers.ofString());
        expect(answer.statusCode() == 200, "advance", answer.body());
    }
    // ANCHOR_END: advance

    private void untilOneQueryWaits() throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/lictor/clock")).build();
        for (int tries = 0; tries < 500; tries++) {
            var reading = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
            if (reading.contains("\"Waiting\":1")) {
                return;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("no query waits after 10 s");
    }

    private static void expect(boolean is, String what, Object found) {
        if (!is) {
            throw new AssertionError(what + ": " + found);
        }
    }
}
