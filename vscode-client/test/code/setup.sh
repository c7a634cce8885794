#!/bin/bash
# setup.sh FOLDER: a real VS Code for the browser, from npm alone, in FOLDER/glossator-code, which is ours:
# what another version left there is deleted. Does nothing if it is there.
# Nothing is compiled: VS Code does without its modules that would have to be, such as those for log files.
set -euo pipefail
folder=$(realpath -m "$1")/glossator-code
version=4.139.1 playwright=1.65.1
stamp=$folder/ok-$version-$playwright
[ -e "$stamp" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
install() { npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$@"; }
install --prefix "$folder" "code-server@$version" "playwright-core@$playwright"
code=$folder/node_modules/code-server/lib/vscode
(cd "$code" && install --omit=dev)
(cd "$code/extensions" && install --omit=dev)
rm -rf "$code/extensions/copilot" "$code/node_modules/@github" "$code/node_modules/@microsoft/mxc-sdk"
touch "$stamp"
