# shellcheck shell=bash
# Sourced by dev after tools.sh: installs clients of Consul in other languages and runs them against
# lictor-agent.
#
# The Python, JavaScript and Java clients always run; the Go client runs if Go is installed. Each is installed
# into a folder of the cache that is named by the checksum of the files that pin its versions: go.mod,
# requirements.txt, package.json and pom.xml. Each runs against an agent of every version of Consul.

consul_versions=(1.22 1.13)
go_files=(go.mod go.sum client_test.go contention_test.go fixture_test.go)
# Worlds of export/tests/worlds as tests in Go.
go_worlds=(failover ttl_twice values)
for world in "${go_worlds[@]}"; do go_files+=("exported/$world/world_test.go"); done
go_modules=(github.com/hashicorp/consul/api github.com/hashicorp/consul/sdk)

# The clients that can run here; need_clients fills the list.
clients=()

need_clients() {
  need_python_client
  need_javascript_client
  need_java_client
  ! is_new_go || need_go_client
  # The scripts of tests/reports run them.
  has curl && has jq && has wget || packages "curl, jq and wget" curl jq wget
}

client_sources=$PWD/agent/tests/clients
go_oldest=$(sed -n 's/^go //p' "$client_sources/go/go.mod")

is_new_go() {
  has go || return
  local have
  have=$(go env GOVERSION | sed 's/^go//')
  [ "$(printf '%s\n' "$go_oldest" "$have" | sort -V | head -n1)" = "$go_oldest" ]
}


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

# The Java library needs Java 17.
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
  rm -rf "$1" && mkdir -p "$1" &&
    (cd "$client_sources/go" && go test -c -o "$1/" . "${go_worlds[@]/#/./exported/}" "${go_modules[0]}" "${go_modules[0]}/watch" &&
      go list -m -f '{{.Dir}}' "${go_modules[0]}" >"$1/source") && touch "$1/ready"
}

# The client's checks, and the fixture of pytest, which starts agents of its own.
run_python() { # ADDRESS
  local bin
  bin=$(client_dir python requirements.txt)/bin
  "$bin/python" "$client_sources/python/client.py" "$1" &&
    PATH=$(built_programs):$PATH "$bin/python" -m pytest --quiet -p no:cacheprovider "$client_sources/python"
}

# The folder of the programs that cargo has built.
built_programs() {
  case ${CARGO_TARGET_DIR:-} in
    /*) echo "$CARGO_TARGET_DIR/debug" ;;
    *) echo "$PWD/${CARGO_TARGET_DIR:-target}/debug" ;;
  esac
}

# Runs the commands of problems that people have reported to Consul; the answers must be those of a real one.
run_reports() { python3 tests/reports/check.py "$(built_programs)/lictor-agent"; }

run_javascript() { # ADDRESS
  local dir
  dir=$(client_dir javascript package.json package-lock.json)
  # Node looks for packages beside the script.
  cp "$client_sources/javascript/client.js" "$dir/" && node "$dir/client.js" "$1"
}

run_java() { java -Dfile.encoding=UTF-8 -cp "$(client_dir java pom.xml)/*" "$client_sources/java/Client.java" "$1"; }

# Runs the worlds in export/tests/worlds as tests in Python, bash and JavaScript, each against a server of its own; the
# crate and run_go run those in Rust and Go. A test that expects another value must fail.
run_exported() {
  local world name language program test consul_version folder=$logs/exported ok=0 bad=0
  program=$(built_programs)/lictor-agent
  rm -rf "$folder" && mkdir -p "$folder"
  for world in export/tests/worlds/*.txt; do
    name=$(basename "$world" .txt)
    # A log names the version of its server.
    consul_version=$(sed -n '1s/.*"consul": *"\([0-9.]*\)".*/\1/p' "$world")
    for language in python bash javascript; do
      test=$folder/$name.$language
      if "$program" export "$language" "$world" >"$test" &&
        with_agent "exported-$name" "$program" "exported_$language" "$test" >"$test.log" 2>&1; then
        ok=$((ok + 1)) && echo "test $name in $language ... ok"
      else
        bad=$((bad + 1)) && cat "$test.log" && echo "test $name in $language ... FAILED"
      fi
    done
  done
  for language in python bash javascript; do
    test=$folder/wrong.$language
    sed 's/"mine"/"other"/; s/'"'mine'/'other'/" "$folder/check_and_lock.$language" >"$test"
    if with_agent exported-wrong "$program" "exported_$language" "$test" >"$test.log" 2>&1; then
      bad=$((bad + 1)) && echo "test a wrong value in $language ... FAILED"
    else
      ok=$((ok + 1)) && echo "test a wrong value in $language ... ok"
    fi
  done
  printf 'test result: %d passed; %d failed;\n' "$ok" "$bad"
  [ "$bad" = 0 ]
}

exported_python() { CONSUL_HTTP_ADDR=$2 python3 "$1"; } # FILE ADDRESS

exported_bash() { CONSUL_HTTP_ADDR=$2 bash "$1"; } # FILE ADDRESS

# The test starts a server in its own process, and finds the package from the folder of the package's other tests.
exported_javascript() { # FILE ADDRESS
  cp "$1" "$js_tests/exported.test.mjs" && (cd "$js_tests" && node --test exported.test.mjs)
  local status=$?
  rm -f "$js_tests/exported.test.mjs"
  return $status
}

# HashiCorp's Go client: its own tests, and Lictor's. All start the agent, as the first `consul` on the PATH and
# in real time, by HashiCorp's test harness. The argument is the version of Consul.
run_go() { # VERSION
  local dir source temporary built world status=0
  built=$(built_programs)
  dir=$(client_dir go "${go_files[@]}")
  source=$(cat "$dir/source")
  go_list_is_valid "$dir" || return
  temporary=$(mktemp -d)
  (
    export TMPDIR=$temporary PATH=$(consul_folder "$1"):$built:$PATH
    go_tests "$1" "$client_sources/go" "$dir/clients.test" -recipes "$built/recipes" || status=1
    # An exported test has the answers of one version.
    if [ "$1" = "${consul_versions[0]}" ]; then
      for world in "${go_worlds[@]}"; do go_tests "$1" "$dir" "$dir/$world.test" || status=1; done
    fi
    go_tests "$1" "$source" "$dir/api.test" || status=1
    go_tests "$1" "$source/watch" "$dir/watch.test" || status=1
    exit $status
  ) || status=1
  rm -rf "$temporary"
  return $status
}

# A folder with the agent under the name `consul`, which answers as a version.
consul_folder() { # VERSION
  local folder=$logs/consul-$1
  mkdir -p "$folder"
  printf '#!/bin/sh\ncommand=$1\nshift\nexec "%s" "$command" --consul-version %s "$@"\n' \
    "$(built_programs)/lictor-agent" "$1" >"$folder/consul"
  chmod +x "$folder/consul"
  echo "$folder"
}

# Lets clients in three languages contend for one lock. The package for JavaScript is the packed one.
run_contention() {
  local built output=$logs/go-contention status=0
  built=$(built_programs)
  PATH=$(consul_folder "${consul_versions[0]}"):$PATH "$(client_dir go "${go_files[@]}")/clients.test" -test.v \
    -test.run '^TestContention$' -recipes "$built/recipes" -rust "$built/examples/contend" \
    -javascript "node $js_tests/contend.mjs" >"$output" 2>&1 || status=1
  [ $status = 0 ] || cat "$output"
  go_result "$output"
  return $status
}

# Lets clients in two languages contend for one lock while their network, their processes and the agent fail. The
# package for JavaScript is the packed one.
run_faults() { # SECONDS [SEED]
  local built
  built=$(built_programs)
  node "$js_tests/fault-run/run.mjs" "$built/lictor-agent" "$built/examples/hold" "$@"
}

# Runs the tests of a program that left-out.txt does not exclude. Some of them measure real time, which fails on a
# busy machine, so that those that failed run once more, one at a time.
go_tests() { # VERSION DIRECTORY PROGRAM OPTIONS...
  local output failed
  local options=(-test.v -test.timeout 5m)
  output=$logs/go-$1-${3##*/}
  cd "$2" || return
  if "${@:3}" "${options[@]}" -test.parallel 8 -test.skip "^($(go_left_out "$1"))\$" >"$output" 2>&1; then
    go_result "$output"
    return
  fi
  failed=$(sed -n 's/^--- FAIL: \([^ ]*\).*/\1/p' "$output" | paste -s -d '|' -)
  if [ -n "$failed" ] &&
    "${@:3}" "${options[@]}" -test.parallel 1 -test.run "^($failed)\$" >"$output-again" 2>&1; then
    sed -i.bak 's/^\( *\)--- FAIL/\1--- PASS/' "$output"
    echo "passed when they ran alone: $failed"
    go_result "$output"
    return
  fi
  cat "$output"
  go_result "$output"
  return 1
}

# Prints the results of Go's tests in the form of cargo, which dev counts.
go_result() { # OUTPUT
  awk '$1 == "---" && $2 == "PASS:" { ok++; print "test " $3 " ... ok" }
    $1 == "---" && $2 == "FAIL:" { bad++; print "test " $3 " ... FAILED" }
    END { printf "test result: %s. %d passed; %d failed;\n", bad ? "FAILED" : "ok", ok, bad }' "$1"
}

# The tests that do not run against a version, as a regular expression of Go.
go_left_out() { # VERSION
  awk -v version="$1" '!/^#/ && ($2 == "all" || $2 == version) { sub(/\*$/, ".*", $1); print $1 }' \
    "$client_sources/go/left-out.txt" | paste -s -d '|' -
}

# Whether each name in left-out.txt is that of a test.
go_list_is_valid() { # DIRECTORY
  local name
  "$1/api.test" -test.list . >"$logs/go-list" && "$1/watch.test" -test.list . >>"$logs/go-list" || return
  awk '!/^#/ { sub(/\*$/, ".*", $1); print $1 }' "$client_sources/go/left-out.txt" | while read -r name; do
    grep -qx -- "$name" "$logs/go-list" || { echo "left-out.txt: no test is called $name" && exit 1; }
  done
}

# Prints which clients are older than the newest release in their registry.
clients_behind() {
  local client
  for client in "${clients[@]}"; do "newer_$client" || echo "$client: the registry does not answer"; done
}

newer_go() {
  local format='{{with .Update}}{{.Path}}: {{$.Version}} is pinned, {{.Version}} is the newest{{end}}'
  (cd "$client_sources/go" && go list -m -u -f "$format" "${go_modules[@]}") | sed '/^$/d'
}

newer_python() {
  "$(client_dir python requirements.txt)/bin/pip" list --outdated --disable-pip-version-check |
    awk '$1 == "py-consul" { print $1 ": " $2 " is pinned, " $3 " is the newest" }'
}

newer_javascript() {
  local dir
  dir=$(client_dir javascript package.json package-lock.json)
  # npm returns a failure if a package is outdated.
  (cd "$dir" && { npm outdated --parseable || true; }) |
    awk -F: '{ split($3, pinned, "@"); split($4, newest, "@")
      print pinned[1] ": " pinned[2] " is pinned, " newest[2] " is the newest" }'
}

newer_java() {
  mvn --batch-mode -f "$client_sources/java/pom.xml" -Dmaven.version.ignore='.*-(alpha|beta|rc).*' \
    org.codehaus.mojo:versions-maven-plugin:2.18.0:display-dependency-updates |
    awk '$5 == "->" { print $2 ": " $4 " is pinned, " $6 " is the newest" }'
}

# Runs a command with the address of an agent of its own, whose manual clock it may advance. The agent answers as
# the version of Consul in consul_version, if that is set.
with_agent() { # NAME PROGRAM COMMAND...
  local agent address='' status=0 output=$logs/agent-for-$1
  "$2" --addr 127.0.0.1:0 --clock manual --consul-version "${consul_version:-${consul_versions[0]}}" >"$output" &
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

# Runs one client of the list against each version of Consul.
run_client() { # CLIENT
  local consul_version status=0
  for consul_version in "${consul_versions[@]}"; do
    echo "as Consul $consul_version:"
    if [ "$1" = go ]; then
      run_go "$consul_version" || status=1
    else
      with_agent "$1" "${CARGO_TARGET_DIR:-target}/debug/lictor-agent" "run_$1" || status=1
    fi
  done
  return $status
}
