# shellcheck shell=bash
# Sourced by dev, whose step and die it uses: installs what is missing, and only that.
#
# Programs that are not on PATH in the right version go into a cache of the user's own, so that every
# clone on the machine shares them.

# One place for each version: wasm-bindgen's is Cargo.lock (program and crate must be equal), Trunk's is
# Trunk.toml, the oldest Rust is Cargo.toml's, packages of npm have their package.json, and the other two
# are here.
bindgen_version=$(grep -A1 '^name = "wasm-bindgen"$' Cargo.lock | sed -n 's/^version = "\(.*\)"$/\1/p')
trunk_version=$(sed -n 's/^trunk-version = "=\(.*\)"$/\1/p' Trunk.toml)
rust_version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
wasm_pack_version=0.15.1
binaryen_version=132

cache=${XDG_CACHE_HOME:-$HOME/.cache}/lictor
mkdir -p "$cache"
for tool in "wasm-bindgen-cli-$bindgen_version" "trunk-$trunk_version" \
  "wasm-pack-$wasm_pack_version" "binaryen-$binaryen_version"; do
  PATH=$cache/$tool/bin:$PATH
done
export PATH

setup() { # page | test
  need_rust
  if has flock; then
    exec 9>"$cache/lock"
    flock -n 9 || { echo "waiting for another ./dev to finish its set-up" && flock 9; }
  fi
  need_page_tools
  [ "$1" = page ] || need_test_tools
  rm -rf "$cache/build"
  exec 9>&-
}

has() { command -v "$1" >/dev/null; }

is_debian() { has apt-get && has dpkg-query; }

has_package() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt_updated=
# packages WHAT PACKAGE...: installs Debian packages; elsewhere names what is missing.
packages() {
  local what=$1
  shift
  is_debian || die "$what is missing: install it with this system's package manager" \
    "(Debian calls it: $*), see that it is on PATH, and run this again"
  [ "$(id -u)" = 0 ] || has sudo || die "$what is missing and there is no sudo; as root, run:" \
    "apt-get install --no-install-recommends $*"
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

need_rust() {
  has cargo || die "Rust is missing: install it from https://rustup.rs, then run this again"
  local have
  have=$(rustc --version | cut -d' ' -f2)
  [ "$(printf '%s\n' "$rust_version" "$have" | sort -V | head -n1)" = "$rust_version" ] ||
    die "Rust $have is too old, $rust_version is needed: run 'rustup update stable'"
  has cc || packages "a C compiler and linker" gcc libc6-dev
}

need_components() {
  local component
  for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 ||
      step "Rust component $component" "install $component for your Rust, then run this again" \
        rustup component add "$component"
  done
}

# The compiler for WebAssembly is rustup's; where rustup cannot have the target, it is Debian's, for
# which the standard library is built here once.
wasm_toolchain=

on_wasm() { # COMMAND...
  if [ -n "$wasm_toolchain" ]; then RUSTUP_TOOLCHAIN=$wasm_toolchain "$@"; else "$@"; fi
}

has_target() { # TARGET
  local library
  library=$(on_wasm rustc --print target-libdir --target "$1" 2>/dev/null) &&
    compgen -G "$library/libcore-*.rlib" >/dev/null
}

need_targets() { # TARGET...
  local target missing=()
  for target in "$@"; do has_target "$target" || missing+=("$target"); done
  if [ "${LICTOR_TOOLCHAIN:-}" != debian ]; then
    [ ${#missing[@]} -gt 0 ] || return 0
    if has rustup && [ ! -e "$cache/debian" ]; then
      optional_step "Rust for ${missing[*]}" rustup target add "${missing[@]}" && return
    fi
  fi
  if ! is_debian || ! has rustup; then
    die "Rust has no ${missing[*]}, and rustup could not download it: run" \
      "'rustup target add ${missing[*]}' where the network allows it, or install it with your Rust"
  fi
  need_debian_toolchain
  for target in "$@"; do
    has_target "$target" || step "Standard library for $target (a minute)" \
      "have rustup install the target instead" build_std "$target"
  done
}

need_debian_toolchain() {
  wasm_toolchain=debian
  PATH=$cache/debian/bin:$PATH
  need_packages "Debian's Rust" rustc-web cargo-web rust-web-src lld-22
  mkdir -p "$cache/debian/bin"
  ln -sf /usr/lib/llvm-22/bin/lld "$cache/debian/bin/rust-lld"
  rustup toolchain list | grep -q '^debian' ||
    step "Debian's Rust as the toolchain 'debian'" "see 'rustup toolchain link --help'" \
      rustup toolchain link debian /usr
}

build_std() { # TARGET
  local target=$1 dir=$cache/debian/std crates=std,panic_abort,test library
  [ "$target" != wasm32v1-none ] || crates=core,alloc,compiler_builtins
  library=$(on_wasm rustc --print sysroot)/lib/rustlib/$target/lib
  rm -rf "$dir" && mkdir -p "$dir/src"
  printf '[package]\nname = "empty"\nedition = "2021"\n[workspace]\n' >"$dir/Cargo.toml"
  echo '#![no_std]' >"$dir/src/lib.rs"
  (
    cd "$dir" && export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR=$dir/target &&
      on_wasm cargo build -Z build-std=$crates --target "$target" --release
  ) && rm "$dir/target/$target"/release/deps/libempty-*.rlib &&
    as_root mkdir -p "$library" &&
    as_root cp "$dir/target/$target"/release/deps/*.rlib "$library/" &&
    rm -rf "$dir"
}

has_version() { # PROGRAM VERSION
  has "$1" && "$1" --version 2>/dev/null | grep -qwF -- "$2"
}

# cargo_tool PROGRAM CRATE VERSION MINUTES OPTION...: a Rust program from crates.io, built once a machine.
cargo_tool() {
  local program=$1 crate=$2 version=$3 minutes=$4
  shift 4
  has_version "$program" "$version" && return
  step "$crate $version (built once, about $minutes minutes)" \
    "see the end of the log; on a network error simply run this again" \
    env CARGO_TARGET_DIR="$cache/build" CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install "$crate" --version "$version" --root "$cache/$crate-$version" "$@"
}

# The page brings a standard library of its own: compiled for size, and ending at once where another one
# would word a panic; that is a twentieth of the page. Where its sources cannot be had, or the compiler
# does not know the option yet, the page is the same, and so much larger.
own_std_flags="-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none"

has_std_sources() {
  [ -e "$(on_wasm rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ]
}

need_std_sources() {
  has_std_sources || [ -n "$wasm_toolchain" ] || ! has rustup ||
    optional_step "Sources of Rust's standard library" rustup component add rust-src || true
}

with_own_std() { # COMMAND...
  # shellcheck disable=SC2086
  if has_std_sources && RUSTC_BOOTSTRAP=1 on_wasm rustc $own_std_flags --print cfg >/dev/null 2>&1; then
    env RUSTC_BOOTSTRAP=1 RUSTFLAGS="$own_std_flags" CARGO_UNSTABLE_BUILD_STD=std,panic_abort \
      CARGO_UNSTABLE_BUILD_STD_FEATURES=optimize_for_size "$@"
  else
    "$@"
  fi
}

need_page_tools() {
  need_targets wasm32-unknown-unknown
  need_std_sources
  # Without --locked: its lock file can name versions that a lagging registry mirror lacks.
  cargo_tool wasm-bindgen wasm-bindgen-cli "$bindgen_version" 2
  cargo_tool trunk trunk "$trunk_version" 4 --locked --no-default-features --features rustls
  need_packers
  has_version wasm-opt "version_$binaryen_version" && return
  has npm || packages "Node.js with npm" nodejs npm
  step "binaryen $binaryen_version (wasm-opt)" "see that npm reaches its registry" \
    npm install --global --no-audit --no-fund --prefix "$cache/binaryen-$binaryen_version" \
    "binaryen@$binaryen_version"
}

need_test_tools() {
  need_components
  need_targets wasm32-unknown-unknown wasm32v1-none
  cargo_tool wasm-pack wasm-pack "$wasm_pack_version" 2 --locked
  need_clients
  need_axe
  has chromedriver || packages "Chromium with ChromeDriver" chromium chromium-driver
  is_debian || return 0
  need_packages "Fonts for screenshots" fonts-dejavu-core fonts-noto-cjk
}

# axe-core looks at the page in its tests; where it cannot be had they leave it out, and say so.
axe=

need_axe() {
  npm_packages "axe-core" "$PWD/tests/axe" || return 0
  axe=$npm_folder/node_modules/axe-core/axe.min.js
}

# The page's code is packed by xz, as browsers unpack no better than gzip by themselves, and brings what
# unpacks it; its scripts are made short. Where that cannot be had the page is the same, and a fifth larger.
need_packers() {
  has xz || ! is_debian || packages "xz" xz-utils
  has xz && npm_packages "What packs the page (terser, xz-decompress)" "$PWD/setup/page" || return 0
  export LICTOR_TERSER=$npm_folder/node_modules/terser/bin/terser
  export LICTOR_UNPACKER=$npm_folder/node_modules/xz-decompress/dist/package/xz-decompress.min.js
}

# npm_packages WHAT SOURCES: sets npm_folder to where that is which SOURCES/package*.json pin: a folder of
# the cache under the sum of what pins it. Fails where npm, or what it brings, cannot be had.
npm_packages() {
  npm_folder=$cache/npm-$(cat "$2"/package*.json | cksum | cut -d' ' -f1)
  [ ! -e "$npm_folder/ready" ] || return 0
  has npm || ! is_debian || packages "Node.js with npm" nodejs npm
  has npm && optional_step "$1" install_npm_packages "$2" "$npm_folder"
}

install_npm_packages() { # SOURCES FOLDER
  rm -rf "$2" && mkdir -p "$2" && cp "$1"/package*.json "$2/" &&
    (cd "$2" && npm ci --no-audit --no-fund) && touch "$2/ready"
}
