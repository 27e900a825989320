#!/usr/bin/env bash
# Builds the documentation site into a folder: English at its root, Chinese in zh/. `./dev` and
# Trunk run it beside the page; mdBook is on PATH (setup/tools.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:?the folder to write}

# The preprocessor that draws the demos. LICTOR_DOCS is its path if it is compiled already.
lictor_docs=${LICTOR_DOCS:-}
if [ -z "$lictor_docs" ]; then
  cargo build --locked --profile docs -p lictor-docs
  lictor_docs=${CARGO_TARGET_DIR:-$PWD/target}/docs/lictor-docs
fi
export MDBOOK_PREPROCESSOR__DEMOS__COMMAND=$lictor_docs

# mdBook takes settings of book.toml from variables as well. The search leaves out a table of file names, which only
# the English book has.
MDBOOK_OUTPUT__HTML__SEARCH__CHAPTER='{"reference/rules.md": {"enable": false}}' \
  mdbook build docs --dest-dir "$out"
MDBOOK_BOOK__TITLE="Lictor 文档" MDBOOK_BOOK__LANGUAGE=zh MDBOOK_BOOK__SRC=zh \
  MDBOOK_BOOK__DESCRIPTION="Consul 的会话、锁与信号量，以及 Lictor 怎样使用它们。" \
  mdbook build docs --dest-dir "$out/zh"

"$lictor_docs" finish "$out"
