// What stands in the way of an answer, with the step that leads out.

import { tell } from "../host.ts";
import { situation } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { Shown } from "../ui/shown.tsx";

/** One line for the server's state, or for a workspace that is not trusted. */
export function Banner() {
  const { server, trusted } = situation.value;
  switch (server.phase) {
    case "starting":
      return (
        <p class="banner" role="status">
          <Icon name="loading" spin /> <Shown text={server.detail || "Glossator is starting…"} />
        </p>
      );
    case "waiting":
      return (
        <p class="banner warn" role="status">
          <Icon name="sync" /> {server.detail || "Glossator's server ended and is started again."}
        </p>
      );
    case "failed":
    case "off":
      return (
        <div class="banner bad" role="alert">
          <Icon name="error" tone="bad" />
          <span>
            <Shown text={server.detail || "Glossator's server is not running."} kind="text" />{" "}
            <Command name="glossator.restartServer">Restart it</Command>
            {" · "}
            <Command name="glossator.showOutput">Show output</Command>
            {" · "}
            <Command name="glossator.openSettings">Settings</Command>
          </span>
        </div>
      );
    case "ready":
      return trusted ? null : (
        <p class="banner warn" role="status">
          <Icon name="lock" />
          <span>
            Restricted: this workspace is not trusted, so files are only read.{" "}
            <button type="button" class="link" onClick={() => tell({ type: "manageTrust" })}>
              Manage trust
            </button>
          </span>
        </p>
      );
  }
}

function Command({ name, children }: { name: string; children: string }) {
  return (
    <button type="button" class="link" onClick={() => tell({ type: "command", command: name })}>
      {children}
    </button>
  );
}
