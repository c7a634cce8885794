// Bundles the extension for its host and the panel for its webview; with --tests also the tests.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const common = {
  bundle: true,
  minify: !tests,
  sourcemap: tests,
  logLevel: "warning",
  legalComments: "none",
};

// Of Mermaid: another way to lay out graphs, and formulas in labels. Both are as large as all the rest.
const leftOut = {
  name: "left out",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(elkjs|katex)/ }, ({ path }) => ({ path, namespace: "left out" }));
    onLoad({ filter: /^/, namespace: "left out" }, ({ path }) => ({
      contents: `throw new Error("It needs ${path}, which is not part of this panel."); export default 0;`,
    }));
  },
};

await build({
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  platform: "node",
  format: "cjs",
  target: "node22",
  external: ["vscode"],
});
rmSync("dist/chunks", { recursive: true, force: true }); // their names change with what is in them
await build({
  ...common,
  minify: true,
  sourcemap: false,
  entryPoints: { panel: "panel/main.tsx" },
  outdir: "dist",
  platform: "browser",
  format: "esm",
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  plugins: [leftOut],
  target: "chrome138",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  assetNames: "[name]",
});
if (tests) {
  rmSync("dist/test", { recursive: true, force: true });
  const files = readdirSync("test", { recursive: true }).filter((name) =>
    name.endsWith(".test.ts"),
  );
  await build({
    ...common,
    minify: false,
    entryPoints: files.map((name) => `test/${name}`),
    outdir: "dist/test",
    outbase: "test",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    splitting: true, // they share one browser
    alias: { vscode: "./test/src/vscode.cjs" },
    chunkNames: "chunks/[name]-[hash]",
    target: "node20",
  });
  await build({
    ...common,
    minify: false,
    entryPoints: { "panel-store": "panel/store.ts" }, // a page of its own, as often as it is imported
    outdir: "dist/test",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    target: "node20",
  });
  await build({
    ...common,
    entryPoints: { host: "test/code/host.ts" },
    outdir: "dist/code",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode"],
  });
}
