"""Tests with the fixture of conftest.py: a lock that is lost, and a query that waits."""

import threading

import consul
import pytest
import requests


def client(url):
    host, _, port = url.removeprefix("http://").rpartition(":")
    return consul.Consul(host=host, port=int(port))


# ANCHOR: lost
def test_a_waiting_client_is_told_that_the_lock_is_lost(lictor):
    c = client(lictor)
    session = c.session.create(ttl=10, lock_delay=0)
    assert c.kv.put("db/leader", "web-1", acquire=session)
    index, _ = c.kv.get("db/leader")
    answers = []
    watcher = threading.Thread(target=lambda: answers.append(c.kv.get("db/leader", index=index)))
    watcher.start()
    requests.get(f"{lictor}/lictor/clock?waiting=1&timeout=10s", timeout=20).raise_for_status()
    requests.put(f"{lictor}/lictor/expire?session={session}", timeout=20).raise_for_status()
    watcher.join(20)
    [(_, pair)] = answers
    assert "Session" not in pair
# ANCHOR_END: lost


@pytest.mark.parametrize("key", ["a", "b"])
def test_each_test_has_an_agent_of_its_own(lictor, key):
    c = client(lictor)
    assert not c.kv.get("", keys=True)[1]
    assert c.kv.put(key, "x")
