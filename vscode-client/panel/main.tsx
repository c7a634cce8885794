// Where the chat panel begins.

import { render } from "preact";
import type { ToPanel } from "../src/panel/messages.ts";
import { App } from "./app.tsx";
import { tell } from "./host.ts";
import { receive } from "./store.ts";
import "./styles/main.css";
import "./ui/elements.ts";

window.addEventListener("message", (event: MessageEvent<ToPanel>) => receive(event.data));
render(<App />, document.getElementById("root") ?? document.body);
window.addEventListener("focus", () => tell({ type: "focused" }));
tell({ type: "ready" });
if (document.hasFocus()) {
  tell({ type: "focused" }); // it was given the focus before anything here listened
}
