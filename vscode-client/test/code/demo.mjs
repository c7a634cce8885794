// The folder that the tests in VS Code open.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const DEMO = `import math


def area(radius):
    """The area of a circle."""
    return math.pi * radius * radius


print(area(2))
`;

const TILL = `class Drawer:
    """Holds coins and notes."""

    def count_coins(self):
        """How much is in the drawer."""
        return sum(self.coins)
`;

/** Fill `folder` with a program; gives the folder. */
export function demoFolder(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "demo.py"), DEMO);
  return folder;
}

/** Beside `folder`, a workspace with it and another of the same name, which VS Code calls otherwise. */
export function twoFolders(folder) {
  const second = join(`${folder}-too`, basename(folder));
  mkdirSync(second, { recursive: true });
  writeFileSync(join(second, "till.py"), TILL);
  const workspace = `${folder}.code-workspace`;
  const folders = [{ path: folder }, { path: second, name: "The Till" }];
  writeFileSync(workspace, JSON.stringify({ folders }));
  return workspace;
}
