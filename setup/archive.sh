# shellcheck shell=bash
# Packs the agent for one system. The release workflow runs it on macOS, Windows and ARM, where `./dev package`
# does not run.

# Checks that the program starts, and packs it with its licences and its reference into the folder TARGET: as a zip
# file on Windows, else as tar.gz.
archive_agent() { # NAME FOLDER-OF-THE-PROGRAM TARGET
  local version name program=lictor-agent
  [ ! -e "$2/lictor-agent.exe" ] || program=lictor-agent.exe
  version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n1)
  name=lictor-agent-$version-$1
  "$2/$program" --version &&
    mkdir -p "$3/$name" && cp "$2/$program" LICENSE-* docs/en/reference/agent.md "$3/$name/" || return
  if [ "$program" = lictor-agent.exe ]; then
    (cd "$3" && 7z a -bso0 "$name.zip" "$name")
  else
    tar -czf "$3/$name.tar.gz" -C "$3" "$name"
  fi && rm -r "${3:?}/$name"
}
