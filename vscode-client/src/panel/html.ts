// The page in the chat panel: our own script and style, and nothing from anywhere else.

import { randomBytes } from "node:crypto";
import { Uri, type Webview } from "vscode";

const NONCE_BYTES = 16;

/** The page; `root` is the folder with what it loads. */
export function page(webview: Webview, root: Uri): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  const script = webview.asWebviewUri(Uri.joinPath(root, "panel.js"));
  const style = webview.asWebviewUri(Uri.joinPath(root, "panel.css"));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'unsafe-inline'`, // Mermaid measures what it styles; see diagrams/
    `font-src ${webview.cspSource}`,
    "img-src data:",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<script nonce="${nonce}" src="${script}" type="module"></script>
<title>Glossator</title>
</head>
<body></body>
</html>
`;
}
