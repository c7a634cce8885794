#!/bin/bash
# setup.sh FOLDER: other people's clients, from npm, in FOLDER/glossator-clients, which is ours: what other
# versions left there is deleted. Does nothing if they are there. Of the scripts that come with them only two
# run: they put the program for this machine in its place.
set -euo pipefail
folder=$(realpath -m "$1")/glossator-clients
claude=2.1.332 opencode=1.18.33 inspector=2.12.0
stamp=$folder/ok-$claude-$opencode-$inspector
[ -e "$stamp" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
echo 'Downloading Claude Code, opencode and the inspector of MCP, once: some 350 MB …'
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$folder" \
	"@anthropic-ai/claude-code@$claude" "opencode-ai@$opencode" "@modelcontextprotocol/inspector@$inspector"
(cd "$folder/node_modules/@anthropic-ai/claude-code" && node install.cjs)
(cd "$folder/node_modules/opencode-ai" && node postinstall.mjs)
touch "$stamp"
