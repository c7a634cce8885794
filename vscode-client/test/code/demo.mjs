// The folder that the tests in VS Code open.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const DEMO = `import math


def area(radius):
    """The area of a circle."""
    return math.pi * radius * radius


print(area(2))
`;

/** Fill `folder` with a program; gives the folder. */
export function demoFolder(folder) {
  writeFileSync(join(folder, "demo.py"), DEMO);
  return folder;
}
