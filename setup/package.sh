# shellcheck shell=bash
# Sourced by dev after clients.sh: makes the files of a release in target/packages: the agent, the npm package, the
# page and the crates, with their checksums.
#
# The program is linked statically against musl, so that it runs on every Linux of this architecture and in
# an empty container.

static_target=x86_64-unknown-linux-musl
packed=$PWD/target/packages

package() { # [agent|js]
  if [ "${1:-}" = js ]; then
    package_js
    return
  fi
  is_package_host || die "packages are made on Linux on x86_64, and this is $(uname -sm)"
  case ${1:-} in
    '') setup page "Page, compiled" with_counts compile_page ;;
    agent) setup agent ;;
    *) die "package: unknown part $1" "$(usage)" ;;
  esac
  need_static_tools
  step "The agent, static ($static_target)" "see the compiler's messages above" build_static_agent
  if [ "${1:-}" = agent ]; then
    step "The agent, packed and started" "see its output above" pack_agent
  else
    need_js_tools
    step "Page (dist/)" "see the compiler's messages above" build_page
    step "The agent with the page, packed and started" "see its output above" pack_agent "$dist"
    step "The npm package" "see the messages above" build_and_pack_js
    step "The page and the crates, packed" "see the messages above" pack_page_and_crates
  fi
  ls -l "$packed"
}

# Makes the npm package alone, which every system can build.
package_js() {
  setup js
  step "The npm package" "see the messages above" build_and_pack_js
  js_sizes || die "the package is over its size limit: make it smaller, or raise it in setup/javascript.sh"
  mkdir -p "$packed" && cp "$js_package"/../lictor-*.tgz "$packed/"
  ls -l "$packed"
}

build_and_pack_js() { build_js && pack_js; }

is_package_host() { [ "$(uname -sm)" = "Linux x86_64" ]; }

need_static_tools() {
  need_targets "$static_target"
  has musl-gcc || packages "A C compiler for musl" musl-tools
  has zip || packages "zip" zip
}

build_static_agent() {
  cargo build --quiet --locked --offline --release -p lictor-agent --target "$static_target"
}

# The version of the packages, which is that of the workspace.
workspace_version() { sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n1; }

# Starts the static program, and packs it if it answers, with the page beside it for `incident --live --page`.
pack_agent() { # [FOLDER-OF-THE-PAGE]
  local name agent=${CARGO_TARGET_DIR:-target}/$static_target/release/lictor-agent
  name=lictor-agent-$(workspace_version)-x86_64-linux
  rm -rf "$packed" && mkdir -p "$packed/$name" && cp "$agent" LICENSE-* docs/en/reference/agent.md "$packed/$name/" &&
    { [ -z "${1:-}" ] || cp -r "$1" "$packed/$name/page"; } &&
    is_static "$packed/$name/lictor-agent" &&
    "$packed/$name/lictor-agent" --version &&
    with_agent packed "$packed/$name/lictor-agent" ask_for_leader &&
    tar -czf "$packed/$name.tar.gz" -C "$packed" "$name" &&
    mv "$packed/$name/lictor-agent" "$packed/" && rm -r "${packed:?}/$name"
}

# Whether a program needs no library of the system.
is_static() { # PROGRAM
  ldd "$1" 2>&1 | grep -E 'statically linked|not a dynamic executable'
}

# Sends one request over a plain connection, and checks the answer.
ask_for_leader() { # ADDRESS
  local answer
  exec 5<>"/dev/tcp/${1%:*}/${1#*:}" &&
    printf 'GET /v1/status/leader HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$1" >&5 &&
    answer=$(cat <&5) && exec 5>&- && echo "$answer" && [[ $answer == "HTTP/1.1 200 OK"*8300* ]]
}

# Packs the built page in dist/ and the crates that users depend on, and writes the checksums of all files.
pack_page_and_crates() {
  local page
  page=$packed/lictor-page-$(workspace_version).zip
  (cd "$dist" && zip -q -r -X "$page" .) && zip -q "$page" LICENSE-* &&
    cargo package --quiet -p lictor-core -p lictor-recipes -p lictor-incident -p lictor-sim -p lictor-export -p lictor-client -p lictor-agent --no-verify --allow-dirty --offline &&
    cp "${CARGO_TARGET_DIR:-target}"/package/lictor-*-"$(workspace_version)".crate "$packed/" &&
    cp "$js_package"/../lictor-*.tgz "$packed/" &&
    (cd "$packed" && sha256sum -- * >SHA256SUMS)
}

# The checks of packages in `./dev test --all`, which has built the page and builds the program in the background.
package_checks() {
  if ! is_package_host; then
    skipped "Packages" "they are made on Linux on x86_64"
    return
  fi
  check "The agent, static ($static_target)" result_of static-agent
  check "The agent with the page, packed and started" pack_agent "$dist"
  check "The page and the crates, packed" pack_page_and_crates
}
