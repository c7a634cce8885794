// Pictures that were pasted into the chat: kept as files of ours for a while, so that chips stay small.

import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Uri } from "vscode";
import type { Chip } from "../panel/messages.ts";
import { UserError } from "../result.ts";

const SUFFIXES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};
const KEPT_MILLISECONDS = 7 * 24 * 60 * 60_000;
const NAME_CHARACTERS = 12;

/** Whether it is shown as a picture, by its name. */
export function isPicture({ path }: Uri): boolean {
  return /\.(png|jpe?g|gif|webp)$/i.test(path);
}

/** The chip of a picture, which is written into `folder`. Throws `UserError` for another type. */
export async function pastedChip(folder: string, mime: string, base64: string): Promise<Chip> {
  const suffix = SUFFIXES[mime];
  if (!suffix) {
    throw new UserError(`A picture of the type ${mime} cannot be shown to a model. Paste a PNG.`);
  }
  const bytes = Buffer.from(base64, "base64");
  const name = createHash("sha256").update(bytes).digest("hex").slice(0, NAME_CHARACTERS);
  const path = join(folder, `${name}.${suffix}`);
  await mkdir(folder, { recursive: true });
  await forgetOld(folder);
  await writeFile(path, bytes, { mode: 0o600 });
  return { label: `pasted.${suffix}`, attachment: { uri: Uri.file(path).toString() } };
}

async function forgetOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MILLISECONDS) {
      await rm(path, { force: true });
    }
  }
}
