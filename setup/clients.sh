# shellcheck shell=bash
# Sourced by dev after tools.sh: installs clients of Consul from the public registries and runs them
# against lictor-agent.
#
# The Python, JavaScript and Java clients always run; the Go client runs if Go is installed. Each is installed
# into a folder of the cache that is named by the checksum of the files that pin its versions.

go_oldest=1.19
go_files=(go.mod go.sum main.go harness.go)

# The clients that can run here; need_clients fills the list.
clients=()

need_clients() {
  need_python_client
  need_javascript_client
  need_java_client
  ! is_new_go || need_go_client
}

is_new_go() {
  has go || return
  local have
  have=$(go env GOVERSION | sed 's/^go//')
  [ "$(printf '%s\n' "$go_oldest" "$have" | sort -V | head -n1)" = "$go_oldest" ]
}

client_sources=$PWD/agent/tests/clients

# The folder of a client in the cache.
client_dir() { # CLIENT FILE...
  local client=$1
  shift
  echo "$cache/client-$client-$(cd "$client_sources/$client" && cat "$@" | cksum | cut -d' ' -f1)"
}

need_python_client() {
  has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null ||
    packages "Python with virtual environments" python3 python3-venv
  install_client python requirements.txt
}

need_javascript_client() {
  has npm || packages "Node.js with npm" nodejs npm
  install_client javascript package.json package-lock.json
}

need_java_client() {
  has mvn && is_new_java || packages "Java with Maven" default-jdk-headless maven
  install_client java pom.xml
}

# The library needs this release.
is_new_java() {
  has javac && [ "$(javac -version 2>&1 | sed 's/^javac \([0-9]*\).*/\1/')" -ge 17 ]
}

need_go_client() { install_client go "${go_files[@]}"; }

install_client() { # CLIENT FILE...
  local client=$1 dir
  dir=$(client_dir "$@")
  [ -e "$dir/ready" ] || step "Client of Consul: $client" "check the network" "install_$client" "$dir"
  clients+=("$client")
}

install_python() { # DIRECTORY
  rm -rf "$1" && python3 -m venv "$1" &&
    "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
      -r "$client_sources/python/requirements.txt" &&
    touch "$1/ready"
}

install_javascript() { # DIRECTORY
  rm -rf "$1" && mkdir -p "$1" && cp "$client_sources"/javascript/package*.json "$1/" &&
    (cd "$1" && npm ci --no-audit --no-fund) && touch "$1/ready"
}

install_java() { # DIRECTORY
  rm -rf "$1" && mvn --quiet --batch-mode --strict-checksums -f "$client_sources/java/pom.xml" \
    dependency:copy-dependencies -DoutputDirectory="$1" && touch "$1/ready"
}

install_go() { # DIRECTORY
  rm -rf "$1" && mkdir -p "$1" && (cd "$client_sources/go" && go build -o "$1/client" .) && touch "$1/ready"
}

run_python() { "$(client_dir python requirements.txt)/bin/python" "$client_sources/python/client.py" "$1"; }

run_javascript() { # ADDRESS
  local dir
  dir=$(client_dir javascript package.json package-lock.json)
  # Node looks for packages beside the script.
  cp "$client_sources/javascript/client.js" "$dir/" && node "$dir/client.js" "$1"
}

run_java() { java -Dfile.encoding=UTF-8 -cp "$(client_dir java pom.xml)/*" "$client_sources/java/Client.java" "$1"; }

# The Go client has HashiCorp's own test harness start the agent, as the first `consul` on the PATH and in real
# time. It starts Lictor's own lock and semaphore programs beside its own.
run_go() {
  local built=$PWD/${CARGO_TARGET_DIR:-target}/debug
  case ${CARGO_TARGET_DIR:-} in /*) built=$CARGO_TARGET_DIR/debug ;; esac
  mkdir -p "$logs/bin" && ln -sf "$built/lictor-agent" "$logs/bin/consul" &&
    PATH=$logs/bin:$PATH "$(client_dir go "${go_files[@]}")/client" "$built/recipes"
}

# Runs a command with the address of an agent of its own, whose manual clock it may advance.
with_agent() { # NAME PROGRAM COMMAND...
  local agent address='' status=0 output=$logs/agent-for-$1
  "$2" --addr 127.0.0.1:0 --clock manual >"$output" &
  agent=$!
  until [ -n "$address" ]; do
    kill -0 $agent 2>/dev/null || return 1
    sleep 0.05
    address=$(sed -n 's|.* serves http://||p' "$output")
  done
  "${@:3}" "$address" || status=$?
  kill $agent
  wait $agent || status=$?
  return $status
}

# Runs one client of the list.
run_client() { # CLIENT
  if [ "$1" = go ]; then
    run_go
  else
    with_agent "$1" "${CARGO_TARGET_DIR:-target}/debug/lictor-agent" "run_$1"
  fi
}
