#!/bin/bash
# setup.sh FOLDER: other people's clients, from npm, in FOLDER/glossator-clients, which is ours. What other
# versions left there stays until these are complete. Does nothing if they are there. Of the scripts that come
# with them only two run: they put the program for this machine in its place.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)/glossator-clients
new=$folder.new
claude=2.1.332 opencode=1.18.33 inspector=2.12.0
stamp=ok-$claude-$opencode-$inspector
[ -e "$folder/$stamp" ] && exit 0
rm -rf "$new"
mkdir "$new"
echo 'Downloading Claude Code, opencode and the inspector of MCP, once: some 350 MB …'
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --prefix "$new" \
	"@anthropic-ai/claude-code@$claude" "opencode-ai@$opencode" "@modelcontextprotocol/inspector@$inspector"
(cd "$new/node_modules/@anthropic-ai/claude-code" && node install.cjs)
(cd "$new/node_modules/opencode-ai" && node postinstall.mjs)
touch "$new/$stamp"
rm -rf "$folder"
mv "$new" "$folder"
