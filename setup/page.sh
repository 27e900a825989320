#!/usr/bin/env bash
# Builds the page: what the data-trunk links of www/index.html name, with the patterns of Trunk.toml. `trunk build`
# reads the same links and patterns, its hooks call the last two commands, and it makes the same files.
#
#   page.sh compile PROFILE         compiles the page: debug, serve or release
#   page.sh build PROFILE FOLDER    also makes its files in a folder, which it replaces at the end
#   page.sh style                   target/style.css
#   page.sh finish PROFILE FOLDER   removes the comments of a release, and lists the files for the service worker
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# One style sheet of all parts: small files of their own would take more requests and half as many bytes again.
# A rule overrides an equally specific one of a file before its own.
styles=(theme base controls layout toolbar panels actors timeline shapes state lessons time events console embed guide
  incident media)

style() {
  local files=("${styles[@]/#/www/styles/}")
  mkdir -p target
  cat "${files[@]/%/.css}" >target/style.css
}

links() { grep -F "<link data-trunk rel=\"$1\"" www/index.html; } # KIND

attribute() { sed -n "s/.* $1=\"\([^\"]*\)\".*/\1/p"; } # NAME

pattern() { sed -n "s/^pattern_$1 = '\(.*\)'\$/\1/p" Trunk.toml; } # NAME

manifest=www/$(links rust | attribute href)
crate=$(sed -n 's/^name = "\(.*\)"$/\1/p' "$manifest" | head -n 1)

# The cargo profile of a profile of the page; the links name that of a release.
cargo_profile() { # PROFILE
  case $1 in
    debug) echo dev ;;
    serve) echo serve ;;
    release) links rust | attribute data-cargo-profile-release ;;
    *) echo "page.sh: unknown profile $1" >&2 && return 1 ;;
  esac
}

compile() { # PROFILE
  cargo build --locked --target wasm32-unknown-unknown -p "$crate" --profile "$(cargo_profile "$1")"
}

# The WebAssembly file that cargo has written.
compiled() { # PROFILE
  local folder
  folder=$(cargo_profile "$1")
  echo "${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/${folder/dev/debug}/${crate//-/_}.wasm"
}

# The name of a file with the checksum of another one, so that no cache has an older file of this name.
hashed() { # STEM FILE
  printf '%s-%x' "$1" "$(cksum <"$2" | cut -d' ' -f1)"
}

# Writes NAME.js and NAME_bg.wasm. The script has the name of the module without its checksum, as that of Trunk has.
bindings() { # PROFILE FOLDER NAME
  lictor-page bindings web "$(compiled "$1")" "$2" "$crate"
  mv "$2/$crate.js" "$2/$3.js"
  mv "$2/${crate}_bg.wasm" "$2/$3_bg.wasm"
  [ "$1" = release ] || return 0
  # shellcheck disable=SC2046
  wasm-opt "-O$(links rust | attribute data-wasm-opt)" $(links rust | attribute data-wasm-opt-params) \
    "$2/$3_bg.wasm" --output "$2/$3_bg.wasm"
}

# The file that says of which profile the page in a folder is.
marker() { echo "target/page-${1##*/}.profile"; } # FOLDER

# Whether the files of a folder are newer than all that they are made of.
is_current() { # PROFILE FOLDER
  local marker
  marker=$(marker "$2")
  [ "$(cat "$marker" 2>/dev/null)" = "$1" ] && [ -e "$2/index.html" ] &&
    [ -z "$(find www Trunk.toml setup/page.sh "$(compiled "$1")" -newer "$marker" -print -quit)" ]
}

build() { # PROFILE FOLDER
  local profile=$1 folder=$2 new=target/page-${2##*/}.new name icon css file head
  compile "$profile"
  ! is_current "$profile" "$folder" || return 0
  rm -rf "$new" && mkdir -p "$new"
  echo "$profile" >"$new.profile"
  style
  name=$(hashed "$crate" "$(compiled "$profile")")
  bindings "$profile" "$new" "$name"
  for file in $(links copy-file | attribute href); do cp "www/$file" "$new/"; done
  icon=$(links icon | attribute href) && icon=$(hashed "${icon%.*}" "www/$icon").${icon##*.}
  cp "www/$(links icon | attribute href)" "$new/$icon"
  css=$(hashed style target/style.css).css
  cp target/style.css "$new/$css"
  head=$(pattern preload | placed "$name")
  sed -e 's|<link data-trunk rel="copy-file"[^>]*>||' \
    -e "s|<link data-trunk rel=\"icon\"[^>]*>|<link rel=\"icon\" href=\"./$icon\"/>|" \
    -e "s|<link data-trunk rel=\"css\"[^>]*>|<link rel=\"stylesheet\" href=\"./$css\"/>|" \
    -e "s|<link data-trunk rel=\"rust\"[^>]*>|$(pattern script | placed "$name")|" \
    -e "s|</head>|$head</head>|" www/index.html >"$new/index.html"
  case $profile in
    debug) add_reload "$new" ;;
  esac
  finish "$profile" "$new"
  replace "$folder" "$new"
  # It has the time of the start, so that a source that was changed meanwhile is newer.
  mv "$new.profile" "$(marker "$folder")"
}

# A pattern of Trunk.toml with the names of the module.
placed() { sed -e 's|{base}|./|g' -e "s|{js}|$1.js|g" -e "s|{wasm}|$1_bg.wasm|g"; } # NAME

# Puts the new files in place of the old ones. What is not made here, such as the documentation, stays.
replace() { # FOLDER NEW
  if [ -e "$1" ]; then
    [ ! -e "$1/docs" ] || mv "$1/docs" "$2/docs"
    rm -rf "$2.old" && mv "$1" "$2.old"
  fi
  mv "$2" "$1"
  rm -rf "$2.old"
}

# The page reloads itself when the file `built` changes. It is not stored, as it is built again and again.
add_reload() { # FOLDER
  cp www/reload.js "$1/"
  date +%s >"$1/built"
  sed -i.old -e 's|</head>|<script type="module" src="reload.js"></script></head>|' -e 's| data-offline="[^"]*"||' \
    "$1/index.html"
  rm "$1/index.html.old"
}

# What is left to do when all files are in the folder.
finish() { # PROFILE FOLDER
  [ "$1" != release ] || shorten "$2"
  list_files "$2"
}

# Writes the names of the page's files, and the checksum of all of them, into the service worker, which stores them.
# index.html has the address of the folder.
list_files() { # FOLDER
  local names='"./"' checksum file
  for file in "$1"/*.{css,js,svg,wasm}; do
    [ "${file##*/}" = offline.js ] || names+=", \"${file##*/}\""
  done
  checksum=$(cat "$1"/index.html "$1"/*.{css,js,svg,wasm} | cksum | cut -d' ' -f1)
  sed -i.old -e "s|const BUILD = .*|const BUILD = \"$checksum\";|" -e "s|const FILES = .*|const FILES = [$names];|" \
    "$1/offline.js"
  rm "$1/offline.js.old"
}

# The release has no comments that are one line of a style sheet or a script.
shorten() { # FOLDER
  local file scripts=()
  for file in $(links copy-file | attribute href); do
    case $file in *.d.ts) ;; *.js) scripts+=("$1/$file") ;; esac
  done
  sed -i.old -e 's|/\*[^*]*\*/||g' -e 's/^ *//' -e '/^$/d' "$1"/style-*.css
  sed -i.old -e '/^ *\/\*\*.*\*\/ *$/d' -e '/^ *\/\//d' "${scripts[@]}"
  rm -- "$1"/*.old
}

command=$1
shift
case $command in
  compile | build | style | finish) "$command" "$@" ;;
  *) echo "page.sh: unknown command $command" >&2 && exit 1 ;;
esac
