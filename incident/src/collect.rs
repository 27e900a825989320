//! The script that collects what an incident needs, on a machine that reaches an agent of Consul.

use alloc::format;
use alloc::string::String;

use crate::missing::escaped;

/// The script of a POSIX shell that prints lists with their heads, and some seconds of the log.
/// With a key it lists the keys in the same folder, and without one those with the prefix that is
/// its argument; it never asks for the whole store by itself.
pub fn collect_commands(key: Option<&str>) -> String {
    let prefix = match key {
        Some(key) => {
            let folder = key.rfind('/').map_or("", |end| &key[..=end]);
            let path = if folder.is_empty() { escaped(key) } else { escaped(folder) };
            format!("prefix='{path}'\n")
        }
        None => String::from(PREFIX),
    };
    let recurse = match key {
        Some(key) if !key.contains('/') => "get \"/v1/kv/$prefix\"\n",
        Some(_) => "get \"/v1/kv/$prefix?recurse\"\n",
        None => KEYS,
    };
    format!("{HEAD}{prefix}{FUNCTIONS}{LISTS}{recurse}{LOG}")
}

const HEAD: &str = r#"#!/bin/sh
# Collects what `lictor-agent incident` reads, from an agent of Consul:
#
#   ssh HOST sh < collect.sh | lictor-agent incident
#
# It reads the variables of Consul's own command: CONSUL_HTTP_ADDR, CONSUL_HTTP_TOKEN or
# CONSUL_HTTP_TOKEN_FILE, CONSUL_HTTP_SSL, CONSUL_HTTP_SSL_VERIFY, CONSUL_CACERT, CONSUL_CAPATH,
# CONSUL_CLIENT_CERT, CONSUL_CLIENT_KEY. It changes nothing. The token is neither printed nor an
# argument of a program. The values of keys are in the output: `incident --redact` replaces them.
set -u
"#;

const PREFIX: &str = r#"# The beginning of the keys in question: ssh HOST sh -s jobs/ < collect.sh
prefix=${1-}
"#;

const KEYS: &str = r#"if [ -n "$prefix" ]; then
  get "/v1/kv/$prefix?recurse"
else
  echo 'no keys: pass the beginning of those in question, as in: sh -s jobs/ < collect.sh' >&2
fi
"#;

const FUNCTIONS: &str = r#"address=${CONSUL_HTTP_ADDR:-127.0.0.1:8500}
case $address in
  http://* | https://* | unix://*) ;;
  *)
    case ${CONSUL_HTTP_SSL:-} in
      true | 1) address=https://$address ;;
      *) address=http://$address ;;
    esac
    ;;
esac
socket=
case $address in
  unix://*)
    socket=${address#unix://}
    address=http://localhost
    ;;
esac
# As for `consul`, a file with a token comes before the token.
token=
if [ -n "${CONSUL_HTTP_TOKEN_FILE:-}" ]; then token=$(cat "$CONSUL_HTTP_TOKEN_FILE"); fi
if [ -z "$token" ]; then token=${CONSUL_HTTP_TOKEN:-}; fi

# The options of curl, which it reads from its standard input.
options() {
  printf 'silent\nshow-error\n'
  if [ -n "$token" ]; then printf 'header = "X-Consul-Token: %s"\n' "$token"; fi
  if [ -n "$socket" ]; then printf 'unix-socket = "%s"\n' "$socket"; fi
  if [ -n "${CONSUL_CACERT:-}" ]; then printf 'cacert = "%s"\n' "$CONSUL_CACERT"; fi
  if [ -n "${CONSUL_CAPATH:-}" ]; then printf 'capath = "%s"\n' "$CONSUL_CAPATH"; fi
  if [ -n "${CONSUL_CLIENT_CERT:-}" ]; then printf 'cert = "%s"\n' "$CONSUL_CLIENT_CERT"; fi
  if [ -n "${CONSUL_CLIENT_KEY:-}" ]; then printf 'key = "%s"\n' "$CONSUL_CLIENT_KEY"; fi
  case ${CONSUL_HTTP_SSL_VERIFY:-} in false | 0) printf 'insecure\n' ;; esac
}

get() {
  printf '\n$ curl -si %s%s\n' "$address" "$1"
  options | curl --config - --include --max-time 10 "$address$1" 2>&1
  echo
}

"#;

const LISTS: &str = r#"printf '$ date -u\n'
date -u
# Some seconds of the log, in which clients that ask for a lock in vain show its lock-delay.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
options | curl --config - --no-buffer --max-time 5 "$address/v1/agent/monitor?loglevel=debug" \
  > "$log" 2> /dev/null &
sleep 1
get /v1/session/list
"#;

const LOG: &str = r#"get /v1/catalog/nodes
get /v1/health/state/any
wait
printf '\n$ consul monitor -log-level=debug\n'
cat "$log"
"#;
