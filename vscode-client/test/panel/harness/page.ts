// The page that holds the panel in tests, as VS Code's webview would, with the same policy.

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const HARNESS = "test/panel/harness";
const THEMES = readdirSync(`${HARNESS}/themes`).map((name) => name.replace(/\.css$/, ""));
const NONCE = "bm9uY2U";
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  js: "text/javascript",
  ttf: "font/ttf",
};

const POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src data:",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");
const page = (script: string) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Glossator</title>
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<link rel="stylesheet" href="/vscode.css">
${THEMES.map((name) => `<link rel="stylesheet" href="/${name}.css">`).join("\n")}
<link rel="stylesheet" href="/panel.css">
<link rel="stylesheet" href="/ground.css">
</head>
<body>
<div id="root"></div>
<script nonce="${NONCE}" src="/fake.js"></script>
<script nonce="${NONCE}" src="/${script}" type="module"></script>
</body>
</html>
`;

const REPEATABLE = "repeatable.js";
const SCRIPTS: Readonly<Record<string, string>> = { "/": "panel.js", "/again": REPEATABLE };

/** The panel's script as a function, which begins the panel as often as it is called. */
function repeatable(): string {
  const script = readFileSync("dist/panel.js", "utf-8");
  const imports = /^(?:import[^;]+;)*/.exec(script)?.[0] ?? "";
  return `${imports}window.begin = () => {${script.slice(imports.length)}\n}; window.begin();`;
}

/** Serves the page, and the files that it loads. */
export async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const script = SCRIPTS[url.pathname];
    if (script !== undefined) {
      response.setHeader("content-type", "text/html");
      response.end(page(script));
      return;
    }
    const name = /^\/((?:chunks\/)?[\w.-]+)$/.exec(url.pathname)?.[1] ?? "";
    const folder = /^(panel\.|codicon\.|chunks\/)/.test(name) ? "dist" : HARNESS;
    const place = THEMES.includes(name.replace(/\.css$/, "")) ? `${HARNESS}/themes` : folder;
    try {
      const body = name === REPEATABLE ? repeatable() : readFileSync(`${place}/${name}`);
      response.setHeader("cache-control", "max-age=3600"); // also what the browser has compiled
      response.setHeader("content-type", TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain");
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Where it listens. */
export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
