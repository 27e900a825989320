"""py-consul against an agent whose address is the first argument: sessions, keys, check-and-set, locks,
a semaphore as Consul's guide builds it, transactions, blocking queries. The agent runs with a manual
clock, which only this program advances."""

import base64
import json
import sys
import threading
import time

import consul
import requests

# ANCHOR: connect
HOST, _, PORT = sys.argv[1].rpartition(":")


def client():
    return consul.Consul(host=HOST, port=int(PORT))


c = client()


def advance(span):
    answer = requests.put(f"http://{sys.argv[1]}/lictor/clock", params={"advance": span}, timeout=10)
    answer.raise_for_status()
# ANCHOR_END: connect


def until_one_query_waits():
    for _ in range(500):
        if requests.get(f"http://{sys.argv[1]}/lictor/clock", timeout=10).json()["Waiting"] == 1:
            return
        time.sleep(0.02)
    raise AssertionError("no query waits after 10 s")


def a_session_lives_is_renewed_and_ends():
    session = c.session.create(name="web", ttl=30, behavior="delete", lock_delay=5)
    index, info = c.session.info(session)
    assert int(index) > 0 and info["Name"] == "web" and info["TTL"] == "30s", info
    assert info["LockDelay"] == 5_000_000_000 and info["Behavior"] == "delete", info
    assert c.session.renew(session)["ID"] == session
    assert session in [it["ID"] for it in c.session.list()[1]]
    assert session in [it["ID"] for it in c.session.node(info["Node"])[1]]
    assert c.session.destroy(session) is True
    assert c.session.info(session)[1] is None
    try:
        c.session.renew(session)
    except consul.NotFound:
        return
    raise AssertionError("a session that is gone was renewed")


def keys_are_written_listed_and_deleted():
    value = bytes(range(256))
    assert c.kv.put("app/b ö/c", value, flags=42) is True
    assert c.kv.put("app/a", "") is True
    _, pair = c.kv.get("app/b ö/c")
    assert pair["Value"] == value and pair["Flags"] == 42, pair
    assert c.kv.get("app/a")[1]["Value"] in (None, b""), "empty"
    assert [it["Key"] for it in c.kv.get("app/", recurse=True)[1]] == ["app/a", "app/b ö/c"]
    assert c.kv.get("app/", keys=True, separator="/")[1] == ["app/a", "app/b ö/"]
    assert c.kv.delete("app/", recurse=True) is True
    assert c.kv.get("app/a")[1] is None


def check_and_set_takes_the_index_that_was_read():
    assert c.kv.put("cas", "1", cas=0) is True
    assert c.kv.put("cas", "1", cas=0) is False
    _, pair = c.kv.get("cas")
    assert c.kv.put("cas", "2", cas=pair["ModifyIndex"]) is True
    assert c.kv.delete("cas", cas=pair["ModifyIndex"]) is False


def one_session_holds_a_lock():
    one, two = c.session.create(name="one", lock_delay=0), c.session.create(name="two")
    assert c.kv.put("lock", "one", acquire=one) is True
    assert c.kv.put("lock", "two", acquire=two) is False
    _, pair = c.kv.get("lock")
    assert pair["Session"] == one and pair["LockIndex"] == 1, pair
    index, _ = c.kv.get("lock")
    freed = in_background(lambda: client().kv.get("lock", index=index, wait="30s"))
    until_one_query_waits()
    assert c.session.destroy(one) is True
    assert "Session" not in freed()[1]
    assert c.kv.put("lock", "two", acquire=two) is True
    assert c.kv.put("lock", "", release=two) is True


# ANCHOR: delay
def a_lock_is_not_given_away_during_its_delay():
    one, two = c.session.create(lock_delay=1), c.session.create()
    assert c.kv.put("delayed", "", acquire=one) is True
    c.session.destroy(one)
    advance("999ms")
    assert c.kv.put("delayed", "", acquire=two) is False
    advance("1ms")
    assert c.kv.put("delayed", "", acquire=two) is True
# ANCHOR_END: delay


def enter(prefix, session, limit):
    """One try to take a slot of the guide's semaphore."""
    _, pairs = c.kv.get(prefix, recurse=True)
    pairs = pairs or []
    document = next((it for it in pairs if it["Key"] == prefix + ".lock"), None)
    state = json.loads(document["Value"]) if document else {"Limit": limit, "Holders": []}
    alive = [it.get("Session") for it in pairs]
    state["Holders"] = [it for it in state["Holders"] if it in alive]
    if len(state["Holders"]) >= state["Limit"]:
        return False
    state["Holders"].append(session)
    index = document["ModifyIndex"] if document else 0
    return c.kv.put(prefix + ".lock", json.dumps(state), cas=index)


def a_semaphore_admits_as_many_as_its_limit():
    sessions = [c.session.create(behavior="delete") for _ in range(3)]
    for session in sessions:
        assert c.kv.put(f"slots/{session}", "", acquire=session) is True
    assert [enter("slots/", it, 2) for it in sessions] == [True, True, False]
    c.session.destroy(sessions[0])
    assert enter("slots/", sessions[2], 2) is True


def a_transaction_is_done_as_a_whole_or_not_at_all():
    value = base64.b64encode(b"v").decode()
    put = [{"KV": {"Verb": "set", "Key": f"txn/{it}", "Value": value}} for it in "ab"]
    done = c.txn.put(put + [{"KV": {"Verb": "get", "Key": "txn/a"}}])
    assert done["Errors"] is None and done["Results"][2]["KV"]["Value"] == value, done
    refused = [{"KV": {"Verb": "set", "Key": "txn/c", "Value": value}}]
    refused += [{"KV": {"Verb": "check-not-exists", "Key": "txn/a"}}]
    try:
        done = c.txn.put(refused)
    except consul.ConsulException as error:
        assert "txn/a" in str(error) and "exists" in str(error), error
    else:
        assert done["Results"] is None and done["Errors"][0]["OpIndex"] == 1, done
    assert c.kv.get("txn/c")[1] is None


def a_watch_is_woken_by_a_write():
    c.kv.put("watch", "1")
    index, _ = c.kv.get("watch")
    seen = in_background(lambda: client().kv.get("watch", index=index, wait="30s"))
    until_one_query_waits()
    c.kv.put("other", "1")
    c.kv.put("watch", "2")
    after, pair = seen()
    assert pair["Value"] == b"2" and int(after) > int(index), pair


def a_watch_of_an_unchanged_key_ends_after_its_wait():
    c.kv.put("unchanged", "1")
    index, _ = c.kv.get("unchanged")
    # Consul adds up to a sixteenth to a wait.
    seen = in_background(lambda: client().kv.get("unchanged", index=index, wait="16s"))
    until_one_query_waits()
    advance("15s")
    until_one_query_waits()
    advance("2s")
    after, pair = seen()
    assert after == index and pair["Value"] == b"1", pair


def the_catalog_and_the_agent_answer():
    assert c.agent.self()["Config"]["NodeName"] == "n1"
    assert [it["Node"] for it in c.catalog.nodes()[1]] == ["n1"]
    assert c.catalog.datacenters() == ["dc1"]
    assert c.status.leader() and c.status.peers()
    assert c.health.node("n1")[1][0]["Status"] == "passing"


def in_background(call):
    """Starts a call in a thread; the function that is returned waits for its answer."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(call()), daemon=True)
    thread.start()

    def wait():
        thread.join(30)
        assert answers, "no answer in 30 s"
        return answers[0]

    return wait


def main():
    checks = [
        a_session_lives_is_renewed_and_ends,
        keys_are_written_listed_and_deleted,
        check_and_set_takes_the_index_that_was_read,
        one_session_holds_a_lock,
        a_lock_is_not_given_away_during_its_delay,
        a_semaphore_admits_as_many_as_its_limit,
        a_transaction_is_done_as_a_whole_or_not_at_all,
        a_watch_is_woken_by_a_write,
        a_watch_of_an_unchanged_key_ends_after_its_wait,
        the_catalog_and_the_agent_answer,
    ]
    failed = 0
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            check()
            print(f"test {name} ... ok")
        except Exception as error:
            failed += 1
            print(f"test {name} ... FAILED: {type(error).__name__}: {error}")
    word = "FAILED" if failed else "ok"
    print(f"test result: {word}. {len(checks) - failed} passed; {failed} failed;")
    sys.exit(bool(failed))


main()
