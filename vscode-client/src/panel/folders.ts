// How the folders of a workspace are called in front of paths, where there are several: as the server
// calls them (files/roots.py), whatever VS Code does. Nothing here knows of VS Code.

/** Unique name -> folder, in their order. */
export function namesOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const folder of folders) {
    const base = folder.split(/[\\/]/).findLast(Boolean) ?? "root";
    let name = base;
    for (let number = 2; names.has(name); number++) {
      name = `${base}-${number}`;
    }
    names.set(name, folder);
  }
  return names;
}

/** A path as it is shown: without its folder, or with that one's name for it where there are several. */
export function shownIn(folders: readonly string[], path: string): string {
  const isIn = (folder: string) => path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
  const holders = [...namesOf(folders)].filter(([, folder]) => isIn(folder));
  const [holder] = holders.sort(([, one], [, other]) => other.length - one.length);
  if (!holder) {
    return path;
  }
  const [name, folder] = holder;
  const inner = path.slice(folder.length + 1);
  return folders.length > 1 ? `${name}/${inner}` : inner;
}
