#!/usr/bin/env python3
"""check.py AGENT [SCRIPT...]: runs each script of this folder (default: all) against a new AGENT, the path of
lictor-agent, and compares what it prints with what a real Consul 1.22.7 answered (NAME.real). Status, headers and
bodies count; ids and indexes by their order; Date, Vary and Content-Length do not count. differences.txt has the
lines that differ for a reason. Exits with 1 if any other line differs. Needs bash, curl, jq and wget."""

import difflib
import os
import pathlib
import re
import subprocess
import sys

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
INDEX = re.compile(r'(X-Consul-Index: |"CreateIndex": ?|"ModifyIndex": ?|"Index": ?)(\d+)', re.I)
HERE = pathlib.Path(__file__).parent


def without_ids(text, address):
    text = text.replace("\r", "").replace(address, "HOST").replace(":" + address.rpartition(":")[2], ":PORT")
    ids = {}
    text = UUID.sub(lambda m: ids.setdefault(m.group(0).lower(), f"U{len(ids) + 1}"), text)
    values = sorted({int(m.group(2)) for m in INDEX.finditer(text)} - {0, 1})
    rank = {0: "0", 1: "one", **{value: at + 1 for at, value in enumerate(values)}}
    return INDEX.sub(lambda m: f"{m.group(1)}i{rank[int(m.group(2))]}", text)


def with_sorted_heads(text):
    """The lines, with the headers of each answer in the order of their names. An answer may follow a body that has
    no newline."""
    lines, head = [], None
    for line in re.sub(r"(?<=[^\n])(HTTP/1\.[01] \d)", r"\n\1", text).split("\n"):
        if re.match(r"HTTP/1\.[01] \d", line):
            head = [line]
        elif head is None:
            lines.append(line)
        elif line:
            head.append(line)
        else:
            counted = (it for it in head[1:] if not re.match(r"(Date|Vary|Content-Length):", it, re.I))
            lines += [head[0], *sorted(counted), ""]
            head = None
    return lines + (head or [])


def differences():
    """The lines of differences.txt by script: pairs of a line of Consul's and the agent's. A script with `!` differs in
    more, and is left out."""
    found, script = {}, None
    for line in (HERE / "differences.txt").read_text().splitlines():
        if line.startswith("- "):
            real = line[2:]
        elif line.startswith("+ "):
            found.setdefault(script, []).append((real, line[2:]))
        elif line.startswith("! "):
            found[line[2:]] = None
        elif line and not line.startswith("#"):
            script = line
    return found


def answers(agent, script):
    command = [agent, "--addr", "127.0.0.1:0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = server.stdout.readline().strip().rpartition("http://")[2]
        env = {**os.environ, "CONSUL_HTTP_ADDR": f"http://{address}"}
        run = subprocess.run(
            ["bash", script], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=400, check=False
        )
    finally:
        server.terminate()
        server.communicate()
    return with_sorted_heads(without_ids(run.stdout.decode("utf8", "backslashreplace"), address))


def main(agent, scripts):
    different, stated = 0, differences()
    scripts = scripts or [it for it in sorted(HERE.glob("*.sh")) if stated.get(it.stem, []) is not None]
    for script in map(pathlib.Path, scripts):
        real = with_sorted_heads(script.with_suffix(".real").read_text())
        for theirs, ours in stated.get(script.stem) or []:
            real[real.index(theirs)] = ours
        diff = list(difflib.unified_diff(real, answers(agent, script), "real", "lictor", lineterm="", n=1))
        different += bool(diff)
        print(f"test {script.stem} ... {'FAILED' if diff else 'ok'}")
        print("\n".join(diff), end="\n" if diff else "")
    result = "FAILED" if different else "ok"
    print(f"test result: {result}. {len(scripts) - different} passed; {different} failed;")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
