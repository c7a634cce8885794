// Files that are dropped on the panel, and pictures that are pasted into it.

import { tell } from "../host.ts";

const LISTS = ["application/vnd.code.uri-list", "text/uri-list"];
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Take what was dropped; true unless it was words. Files that cannot be read are told of. */
export function drop(data: DataTransfer | null): boolean {
  const taken = take(data);
  const files = (data?.files.length ?? 0) > 0;
  if (files && !taken) {
    tell({ type: "dropped", uris: [] });
  }
  return taken || files;
}

/** Take what was dropped or pasted; true if it was files or pictures, and not words. */
export function take(data: DataTransfer | null): boolean {
  const uris = LISTS.map((kind) => data?.getData(kind) ?? "")
    .find((list) => list !== "")
    ?.split(/\r?\n/)
    .filter((line) => line !== "" && !line.startsWith("#") && !/^https?:/.test(line));
  if (uris && uris.length > 0) {
    tell({ type: "dropped", uris });
    return true;
  }
  const pictures = [...(data?.files ?? [])].filter(({ type }) => PICTURES.has(type));
  for (const picture of pictures) {
    void send(picture);
  }
  return pictures.length > 0;
}

async function send(picture: File): Promise<void> {
  const bytes = new Uint8Array(await picture.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  tell({ type: "pasted", mime: picture.type, base64: btoa(text) });
}
