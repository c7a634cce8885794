import assert from "node:assert/strict";
import { test } from "node:test";
import { encodingRules, type FolderEncodings, type Language } from "../../src/encodings.ts";

const LANGUAGES: Language[] = [
  { id: "plaintext", extensions: [".txt"] },
  { id: "ini", extensions: [".ini", ".in"], filenames: [".Conf"], filenamePatterns: ["**/cfg/*"] },
  { id: "cmake", filenames: ["CMakeLists.txt", "CMakeCache"] },
  { id: "python" },
];

function rules(given: Partial<FolderEncodings>): Array<[string, string]> {
  const folder = { folder: "/w", encoding: "utf8", ofLanguages: new Map(), associations: {} };
  return encodingRules([{ ...folder, ...given }], LANGUAGES).map(({ glob, encoding }) => [
    glob,
    encoding,
  ]);
}

for (const [says, given, expected] of [
  ["all is UTF-8", {}, []],
  ["UTF-8 with a mark", { encoding: "utf8bom" }, []],
  ["one for the folder", { encoding: "gbk" }, [["**", "gbk"]]],
  ["what is associated matters only with languages", { associations: { "*.x": "ini" } }, []],
  [
    "a language of its own, and a name that only looks like one of its files",
    { ofLanguages: new Map([["plaintext", "shiftjis"]]) },
    [
      ["**", "utf8"],
      ["*.[tT][xX][tT]", "shiftjis"],
      ["[cC][mM][aA][kK][eE][lL][iI][sS][tT][sS].[tT][xX][tT]", "utf8"],
    ],
  ],
  [
    "the most special last, what the user associates behind all",
    {
      encoding: "gbk",
      ofLanguages: new Map([["ini", "windows1251"]]),
      associations: { "a.longer": "ini", "*.[x]": "python" },
    },
    [
      ["**", "gbk"],
      ["*.[iI][nN]", "windows1251"],
      ["*.[iI][nN][iI]", "windows1251"],
      ["**/[cC][fF][gG]/*", "windows1251"],
      [".[cC][oO][nN][fF]", "windows1251"],
      ["*.[x]", "gbk"],
      ["[aA].[lL][oO][nN][gG][eE][rR]", "windows1251"],
    ],
  ],
] as const) {
  test(`encodings of closed files: ${says}`, () => {
    assert.deepEqual(rules(given), expected);
  });
}

test("each folder has rules of its own", () => {
  const of = (folder: string, encoding: string): FolderEncodings => ({
    folder,
    encoding,
    ofLanguages: new Map(),
    associations: {},
  });
  assert.deepEqual(encodingRules([of("/a", "utf8"), of("/b", "eucjp")], LANGUAGES), [
    { folder: "/b", glob: "**", encoding: "eucjp" },
  ]);
});
