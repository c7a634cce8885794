// A client on the official TypeScript SDK: `client.mjs FOLDER PROMPT COMMAND…`.
// It starts the agent, asks once, allows what it is asked, loads the session again, and prints
// what it was shown as JSON lines.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [folder, prompt, command, ...words] = process.argv.slice(2);
const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const editor = client({ name: "test editor" })
  .onNotification(methods.client.session.update, ({ params }) => say({ update: params.update }))
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    say({ asked: params.toolCall, options: params.options });
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({
    content: await readFile(params.path, "utf8"),
  }))
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
    await writeFile(params.path, params.content);
    return {};
  });

const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await editor.connectWith(stream, async (agent) => {
  const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true } };
  say({
    initialized: await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
    }),
  });
  const session = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  say({ session });
  const { sessionId } = session;
  const blocks = [{ type: "text", text: prompt }];
  say({ answer: await agent.request(methods.agent.session.prompt, { sessionId, prompt: blocks }) });
  const loading = { sessionId, cwd: folder, mcpServers: [] };
  say({ loaded: await agent.request(methods.agent.session.load, loading) });
});
child.stdin.end();
const code = await new Promise((resolve) => child.on("exit", resolve));
say({ code });
