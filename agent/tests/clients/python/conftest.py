"""A fixture of pytest: an agent for one test."""

# ANCHOR: fixture
import subprocess
import tempfile

import pytest


@pytest.fixture
def lictor():
    """The URL of an agent on a free port, which lives as long as the test. pytest shows its log if the test fails."""
    with tempfile.TemporaryFile("w+") as log:
        command = ["lictor-agent", "--addr", "127.0.0.1:0", "--log-level", "debug"]
        agent = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            _, ready, url = agent.stdout.readline().strip().partition(" serves ")
            assert ready, "the agent did not start"
            yield url
        finally:
            agent.kill()
            agent.communicate()
            log.seek(0)
            print(log.read())
# ANCHOR_END: fixture
