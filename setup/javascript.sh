# shellcheck shell=bash
# Sourced by dev: builds the npm package `lictor` from js/, packs it, and tests the packed file.
#
# The package has the sources in js/npm as they are, with their types; beside them are three WebAssembly files,
# lictor.wasm, world.wasm and incident.wasm, and the bindings that wasm-bindgen writes for each.

js_package=$PWD/target/npm/lictor
js_glue=$PWD/target/npm/glue
js_tests=$PWD/target/npm/tests
js_bundlers=$PWD/target/npm/bundlers
# The largest size of each WebAssembly file after gzip -9, in bytes. `./dev test --all` fails above it.
js_size_limits=(lictor.wasm:485000 world.wasm:820000 incident.wasm:475000)

need_js_tools() {
  has node && [ "$(node --version | sed 's/^v\([0-9]*\).*/\1/')" -ge 20 ] ||
    die "Node.js 20 or newer is missing: the package lictor is tested with it"
  need_typescript
  need_npm_packages "What the tests of the package lictor use" "$PWD/js/tests"
  js_modules=$npm_folder/node_modules
}

need_bundlers() {
  need_npm_packages "Bundlers and frameworks for JavaScript" "$PWD/js/bundlers"
  js_bundler_modules=$npm_folder/node_modules
}

# Writes the package to target/npm/lictor.
build_js() {
  rm -rf "$js_package" "$js_glue" && mkdir -p "$js_package" "$js_glue" &&
    build_wasm lictor glue --no-default-features --features server &&
    build_wasm world world-glue --no-default-features --features world &&
    build_wasm incident incident-glue --no-default-features --features incident &&
    inline_module <"$js_package/lictor.wasm" >"$js_package/wasm.inline.js" &&
    cp js/npm/*.js js/README.md LICENSE-* "$js_package/" &&
    sed "s/\"version\": \".*\"/\"version\": \"$(workspace_version)\"/" js/npm/package.json >"$js_package/package.json" &&
    cp js/npm/{types,platform,glue,world-glue,incident-glue}.d.ts "$js_package/" &&
    "$tsc" -p js/npm --noEmit false --declaration --emitDeclarationOnly --rootDir js/npm --outDir "$js_package" &&
    export_types
}

build_wasm() { # FILE BINDINGS OPTIONS OF cargo
  local wasm=${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/web/lictor_js.wasm
  cargo build --quiet --locked --offline --target wasm32-unknown-unknown -p lictor-js --profile web "${@:3}" &&
    lictor-page bindings no-modules "$wasm" "$js_glue" "$2" &&
    wasm-opt -Oz --reorder-functions-by-name "$js_glue/$2_bg.wasm" -o "$js_package/$1.wasm" &&
    glue_module <"$js_glue/$2.js" >"$js_package/$2.js"
}

# The sources are JavaScript, which cannot re-export a type, so tsc's declarations lack these exports.
export_types() {
  {
    echo 'export type * from "./types.js";'
    echo 'export type { ConsulOptions, LoadOptions, Value, WriteOptions } from "./consul.js";'
    echo 'export type { RawRequest } from "./requests.js";'
  } | tee -a "$js_package"/{index,inline,world}.d.ts >/dev/null
  echo 'export type { Clock } from "./clock.js";' | tee -a "$js_package"/{index,inline,client}.d.ts >/dev/null
  echo 'export type * from "./programs.js";' >>"$js_package/world.d.ts"
}

# Makes a module of wasm-bindgen's script: a function, each call of which gives bindings of their own, so
# that each server can have its own instance of the WebAssembly.
glue_module() {
  local head='let wasm_bindgen = (function(exports) {' line
  read -r line
  [ "$line" = "$head" ] || { echo "wasm-bindgen's script begins otherwise: $line" >&2 && return 1; }
  echo "export const bindings = () => (function(exports) {"
  cat
}

inline_module() {
  printf 'export const wasm = async () => Uint8Array.from(atob("'
  base64 -w0
  printf '"), (it) => it.charCodeAt(0));\n'
}

js_sizes() {
  local file limit size gzipped status=0
  for file in "${js_size_limits[@]}"; do
    limit=${file#*:} file=${file%:*}
    size=$(wc -c <"$js_package/$file") gzipped=$(gzip -9 -n -c "$js_package/$file" | wc -c)
    printf '%s: %d bytes, %d after gzip, at most %d\n' "$file" "$size" "$gzipped" "$limit"
    [ "$gzipped" -le "$limit" ] || status=1
  done
  return $status
}

# Packs the package as npm publishes it, into target/npm, and unpacks it for the tests as npm installs it. The
# tests find the other packages in a folder above.
pack_js() {
  rm -rf "$js_tests" "$js_package"/../*.tgz && mkdir -p "$js_tests/node_modules/lictor" &&
    npm pack --silent --pack-destination "$js_package/.." "$js_package" &&
    tar -xzf "$js_package"/../lictor-*.tgz -C "$js_tests/node_modules/lictor" --strip-components=1 &&
    cp -r js/tests/. agent/tests/clients/javascript/client.js incident/tests/incidents "$js_tests/" &&
    ln -sfn "$js_modules" "$js_package/../node_modules"
}

# Runs the package's tests in Node, which starts Chromium for some, its locks also against an agent.
run_js_tests() { # ADDRESS
  (cd "$js_tests" && LICTOR_CONSUL=http://$1 node_tests js-node)
}

# Runs the tests of the current folder, or only those of a file, and counts them as cargo does.
node_tests() { # NAME [FILE]
  local log=$logs/$1.tap status=0
  node --expose-gc --test --test-reporter=tap "${@:2}" >"$log" || status=$?
  cat "$log"
  awk '/^# pass /{ ok = $3 } /^# fail /{ bad = $3 }
    END { printf "test result: %s. %d passed; %d failed;\n", bad ? "FAILED" : "ok", ok, bad }' "$log"
  return $status
}

# Tests the packed package in bundlers and frameworks. Their installed packages are linked, as they are large.
run_bundlers() {
  rm -rf "$js_bundlers" && mkdir -p "$js_bundlers" && cp -r js/bundlers/. js/tests/chromium.mjs "$js_bundlers/" &&
    { cp -al "$js_bundler_modules" "$js_bundlers/" 2>/dev/null || cp -r "$js_bundler_modules" "$js_bundlers/"; } &&
    mkdir "$js_bundlers/node_modules/lictor" &&
    tar -xzf "$js_package"/../lictor-*.tgz -C "$js_bundlers/node_modules/lictor" --strip-components=1 &&
    (cd "$js_bundlers" && node_tests js-bundlers bundlers.test.mjs)
}

js_tests() { with_agent js "${CARGO_TARGET_DIR:-target}/debug/lictor-agent" run_js_tests; }

# The checks of `./dev test --all`. Those with result_of wait for a job that it has started before.
js_checks() {
  check "Package for JavaScript, built" result_of build_js
  check "Package for JavaScript, size" js_sizes
  check "Package for JavaScript, packed" result_of pack_js
  check "Package for JavaScript, types (tsc --strict)" "$tsc" -p "$js_tests/types"
  check "Package for JavaScript, types without a browser" "$tsc" -p "$js_tests/types/without-dom"
  tests "Package for JavaScript, in Node and Chromium" result_of js_tests
}
