# shellcheck shell=bash
# Sourced by dev, whose step, background and die it uses: installs the tools that are missing.
#
# Each download is pinned: Rust by rust-toolchain.toml, crates by lock files (--locked), npm packages by
# their lock files (npm ci), Python packages by hashes. Tools that are not on PATH in the right version
# go into a cache folder of the user, which all clones on the machine share.

# Each version is written in one place: wasm-bindgen in Cargo.lock (setup/programs must have the same),
# Trunk in Trunk.toml, Rust in rust-toolchain.toml, npm packages in their package.json, the others here.
bindgen_version=$(grep -A1 '^name = "wasm-bindgen"$' Cargo.lock | sed -n 's/^version = "\(.*\)"$/\1/p')
trunk_version=$(sed -n 's/^trunk-version = "=\(.*\)"$/\1/p' Trunk.toml)
rust_version=$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)
gecko_version=0.37.1
machete_version=0.9.2
mdbook_version=0.5.4

cache=${XDG_CACHE_HOME:-$HOME/.cache}/lictor
mkdir -p "$cache"
# The programs of setup/programs, in a folder that is named by the checksum of their sources.
programs=programs-$(cat setup/programs/Cargo.* setup/programs/src/bin/*.rs | cksum | cut -d' ' -f1)
for tool in "$programs" "wasm-bindgen-cli-$bindgen_version" "trunk-$trunk_version" "geckodriver-$gecko_version" \
  "cargo-machete-$machete_version" "mdbook-$mdbook_version"; do
  PATH=$cache/$tool/bin:$PATH
done
export PATH

# Installs what is missing. Building tools takes minutes, so COMMAND runs in the background meanwhile. What is served
# needs little: cargo fetches the crates of the page when it compiles them.
setup() { # agent|serve|page|js|test|bench|all [TITLE COMMAND...]
  local kind=$1
  shift
  need_rust
  [ "$kind" = serve ] || fetch_crates
  if has flock; then
    exec 9>"$cache/lock"
    flock -n 9 || { echo "waiting for another ./dev to finish its set-up" && flock 9; }
  fi
  case $kind in
    agent) ;;
    serve) need_page_program ;;
    page | js) need_page_program && need_page_tools ;;
    test) need_test_runner ;;
    bench | all) need_test_runner && need_page_tools ;;
  esac
  # The page that is served is compiled here in any case, as here its progress is shown.
  if [ $# -gt 0 ] && { [ "$kind" = serve ] || [ ${#background_pids[@]} -gt 0 ]; }; then
    background "$1" "see the messages above" "${@:2}"
  fi
  case $kind in
    js) need_js_tools ;;
    test | bench) need_browser ;;
    all) need_browser && need_all_tools ;;
  esac
  finish_background
  rm -rf "$cache/build"
  exec 9>&-
}

fetch_crates() {
  cargo fetch --quiet --offline --locked >/dev/null 2>&1 ||
    step "Crates (cargo fetch)" "check the network; after a change of Cargo.toml run 'cargo check' first" \
      cargo fetch --locked
}

has() { command -v "$1" >/dev/null; }

# --- Debian packages ---------------------------------------------------------------------------

is_debian() { has apt-get && has dpkg-query; }

has_package() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt_updated=
# packages WHAT PACKAGE...: installs Debian packages; on other systems it names what is missing.
packages() {
  local what=$1
  shift
  is_debian || die "$what is missing: install it with this system's package manager" \
    "(Debian calls it: $*), see that it is on PATH, and run this again"
  if [ "$(id -u)" != 0 ]; then
    has sudo || die "$what is missing and there is no sudo; as root, run:" \
      "apt-get install --no-install-recommends $*"
    echo "$what is missing. sudo is used to run: apt-get install --no-install-recommends $*"
  fi
  if [ -z "$apt_updated" ]; then
    step "Package lists (apt-get update)" "check the network and /etc/apt" as_root apt-get update -q
    apt_updated=yes
  fi
  step "$what (apt: $*)" "install $what by hand, see that it is on PATH, and run this again" \
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

need_packages() { # WHAT PACKAGE...
  local package
  for package in "${@:2}"; do
    if ! has_package "$package"; then
      packages "$@"
      return
    fi
  done
}

# --- Rust --------------------------------------------------------------------------------------

# The values of a list in rust-toolchain.toml, separated by spaces.
toolchain_list() { # targets|components
  sed -n "s/^$1 = \[\(.*\)\]$/\1/p" rust-toolchain.toml | tr -d '",'
}

# rustup installs all of this by itself, except where RUSTUP_AUTO_INSTALL=0 is set or where the release was
# installed before without it.
need_rust() {
  has cargo || die "Rust is missing: install it from https://rustup.rs, then run this again"
  rustc --version >/dev/null 2>&1 ||
    step "Rust $rust_version" "see that rustup reaches its server" \
      rustup toolchain install "$rust_version" --profile minimal --no-self-update
  local have component targets components=()
  have=$(rustc --version | cut -d' ' -f2)
  [ "$have" = "$rust_version" ] ||
    die "this is Rust $have, and rust-toolchain.toml asks for $rust_version: see 'rustup show'"
  read -ra targets <<<"$(toolchain_list targets)"
  need_targets "${targets[@]}"
  for component in $(toolchain_list components); do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || components+=("$component")
  done
  [ ${#components[@]} = 0 ] ||
    step "Rust's ${components[*]}" "run 'rustup component add ${components[*]}' by hand" \
      rustup component add "${components[@]}"
  has cc || packages "a C compiler and linker" gcc libc6-dev
}

need_targets() { # TARGET...
  local target missing=()
  for target in "$@"; do has_target "$target" || missing+=("$target"); done
  [ ${#missing[@]} = 0 ] ||
    step "Rust for ${missing[*]}" "run 'rustup target add ${missing[*]}' by hand" \
      rustup target add "${missing[@]}"
}

has_target() { # TARGET
  local library
  library=$(rustc --print target-libdir --target "$1" 2>/dev/null) &&
    compgen -G "$library/libcore-*.rlib" >/dev/null
}

# grep reads all of the output: a program that cannot write the rest may fail.
has_version() { # PROGRAM VERSION
  has "$1" && "$1" --version 2>/dev/null | grep -wF -e "$2" -e "v$2" >/dev/null
}

# cargo_tool PROGRAM CRATE VERSION [SOURCE]...: a Rust program. Where cargo-binstall is installed it downloads
# the program; otherwise, or if that fails, cargo builds it in the background. SOURCE are cargo's options
# for where the program comes from, if that is not the crate of this name and version.
cargo_tool() {
  local program=$1 crate=$2 version=$3
  local root=$cache/$crate-$version
  shift 3
  has_version "$program" "$version" && return
  if has cargo-binstall; then
    optional_step "$crate $version (cargo binstall)" cargo binstall --no-confirm --locked \
      --disable-strategies compile --root "$root" "$crate@$version" && return
  fi
  [ $# -gt 0 ] || set -- "$crate" --version "$version"
  background "$crate $version" "$install_advice" install_program "$crate-$version" "$@"
}

install_advice="see the end of the log; on a network error run this again"

# The priority of cargo when it builds programs, as `nice` counts it.
niceness=0

# Builds a program into a folder of the cache. Programs run for seconds: a build without optimization takes half the time.
install_program() { # FOLDER SOURCE...
  local folder=$1
  shift
  CARGO_TARGET_DIR=$cache/build/$folder CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    with_counts nice -n "$niceness" cargo install --locked --root "$cache/$folder" "$@"
}

# --- Tools -------------------------------------------------------------------------------------

# What makes the files of a compiled page, and serves them.
need_page_program() {
  [ -x "$cache/$programs/bin/lictor-page" ] ||
    background "lictor-page" "$install_advice" install_programs
}

# Builds setup/programs. They are optimized, as each build of the page waits for them. Another clone may have installed
# them without the test runner; cargo replaces programs of another folder only by force.
install_programs() { # cargo's options
  CARGO_TARGET_DIR=$cache/build/$programs with_counts nice -n "$niceness" cargo install --locked --force \
    --root "$cache/$programs" --path setup/programs "$@"
}

need_test_runner() {
  if has_version wasm-bindgen-test-runner "$bindgen_version"; then
    need_page_program
  else
    background "wasm-bindgen $bindgen_version" "$install_advice" install_programs --features test-runner
  fi
}

# mdBook's own server and its watcher are left out.
mdbook_source=(mdbook --version "$mdbook_version" --no-default-features --features search)

need_page_tools() {
  # The documentation is built with the page.
  cargo_tool mdbook mdbook "$mdbook_version" "${mdbook_source[@]}"
  # Debian's binaryen is too old for what this Rust compiles to.
  need_npm_packages "binaryen (wasm-opt)" "$PWD/setup/binaryen"
  PATH=$npm_folder/node_modules/.bin:$PATH
}

need_browser() {
  need_npm_packages "axe-core" "$PWD/tests/axe"
  axe=$npm_folder/node_modules/axe-core/axe.min.js
  has chromedriver || packages "Chromium with ChromeDriver" chromium chromium-driver
}

need_typescript() {
  need_npm_packages "TypeScript" "$PWD/setup/typescript"
  tsc=$npm_folder/node_modules/.bin/tsc
}

# The tools that only `./dev test --all` needs.
need_all_tools() {
  cargo_tool cargo-machete cargo-machete "$machete_version"
  need_js_tools
  need_targets "${lint_targets[@]}"
  # Trunk is not asked to download anything, and needs no TLS.
  cargo_tool trunk trunk "$trunk_version" trunk --version "$trunk_version" --no-default-features
  need_clients
  need_bundlers
  ! is_package_host || need_static_tools
  if is_debian; then
    need_packages "Fonts for screenshots" fonts-dejavu-core fonts-noto-cjk
    has_firefox || packages "Firefox" firefox-esr
    has_webkit || packages "WebKit with WebKitWebDriver" webkit2gtk-driver xvfb
  fi
  # Debian has no geckodriver.
  ! has_firefox || cargo_tool geckodriver geckodriver "$gecko_version"
}

has_firefox() { has firefox-esr || has firefox; }

has_webkit() { has WebKitWebDriver && has Xvfb; }

# need_npm_packages WHAT SOURCES: installs what SOURCES/package-lock.json pins into a folder of the cache that
# is named by the checksum of these files, and sets npm_folder to it.
need_npm_packages() {
  npm_folder=$cache/npm-$(cat "$2"/package*.json | cksum | cut -d' ' -f1)
  [ ! -e "$npm_folder/ready" ] || return 0
  has npm || packages "Node.js with npm" nodejs npm
  step "$1" "see that npm reaches its registry" install_npm_packages "$2" "$npm_folder"
}

install_npm_packages() { # SOURCES FOLDER
  rm -rf "$2" && mkdir -p "$2" && cp "$1"/package*.json "$2/" &&
    (cd "$2" && npm ci --no-audit --no-fund) && touch "$2/ready"
}
