// The colours of diagrams: those of VS Code's theme, as opaque values, for a picture knows no variables.

/** What Mermaid takes as the variables of its theme `base`. */
export type Theme = Readonly<Record<string, string | boolean>>;

const SERIES = ["blue", "green", "yellow", "purple", "orange", "red"] as const;
const SERIES_LENGTH = 12; // as many as Mermaid counts before it begins anew
const NODE_SHARE = 0.16;
const SERIES_SHARE = 0.4;
const AREA_SHARE = 0.06;

/** The theme that the page has now. */
export function themeNow(): Theme {
  const style = getComputedStyle(document.body);
  const value = (name: string) => style.getPropertyValue(`--vscode-${name}`);
  const contrast = document.body.matches(".vscode-high-contrast, .vscode-high-contrast-light");
  const ground = opaque(value("editor-background"), "white");
  const ink = opaque(value("editor-foreground"), ground);
  const edge = value("contrastBorder");
  const colours = SERIES.map((name) => opaque(value(`charts-${name}`), ground));
  const [blue = ink, , yellow = ink, , , red = ink] = colours;
  const tint = (colour: string, share: number) => opaque(colour, ground, share);
  const border = contrast ? opaque(edge, ground) : tint(blue, 0.7);
  const node = contrast ? ground : tint(blue, NODE_SHARE);
  const area = contrast ? ground : tint(ink, AREA_SHARE);
  const rule = contrast ? border : tint(ink, 0.3);
  const series = Array.from({ length: SERIES_LENGTH }, (_, at) =>
    tint(colours[at % colours.length] ?? blue, SERIES_SHARE),
  );
  return {
    darkMode: document.body.matches(".vscode-dark, .vscode-high-contrast"),
    fontFamily: style.fontFamily,
    fontSize: style.fontSize,
    useGradient: false,
    dropShadow: "none",
    background: ground,
    ...same(ink, INK),
    ...same(node, NODES),
    ...same(border, BORDERS),
    ...same(area, AREAS),
    ...same(rule, RULES),
    ...same(contrast ? ground : tint(yellow, NODE_SHARE), ["noteBkgColor", "activeTaskBkgColor"]),
    noteBorderColor: tint(yellow, 0.7),
    ...same(tint(red, SERIES_SHARE), ["critBkgColor", "errorBkgColor"]),
    ...same(red, ["critBorderColor", "todayLineColor", "vertLineColor"]),
    ...same(ground, ["edgeLabelBackground", "sequenceNumberColor"]),
    lineColor: contrast ? border : tint(ink, 0.75),
    pieOpacity: "1",
    ...numbered("pie", 1, series),
    ...numbered("cScale", 0, series),
    ...numbered("git", 0, series),
  };
}

const INK = [
  ...["primaryTextColor", "secondaryTextColor", "tertiaryTextColor", "textColor", "titleColor"],
  ...["noteTextColor", "errorTextColor", "taskTextClickableColor", "arrowheadColor"],
  ...["scaleLabelColor", "branchLabelColor", "commitLabelColor", "tagLabelColor"],
];
const NODES = ["primaryColor", "mainBkg", "taskBkgColor", "sectionBkgColor2", "tagLabelBackground"];
const BORDERS = [
  ...["primaryBorderColor", "taskBorderColor", "activeTaskBorderColor", "pieStrokeColor"],
  ...["pieOuterStrokeColor", "tagLabelBorder"],
];
const AREAS = [
  ...["secondaryColor", "tertiaryColor", "clusterBkg", "sectionBkgColor", "altSectionBkgColor"],
  ...["excludeBkgColor", "doneTaskBkgColor", "rowOdd", "rowEven", "commitLabelBackground"],
];
const RULES = [
  ...["secondaryBorderColor", "tertiaryBorderColor", "clusterBorder", "gridColor"],
  ...["doneTaskBorderColor"],
];

function same(value: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function numbered(name: string, from: number, values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value, at) => [`${name}${from + at}`, value]));
}

/** A colour of any notation, `share` of it, over another one, as `#rrggbb`. */
function opaque(colour: string, over: string, share = 1): string {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!context) {
    return over;
  }
  for (const [layer, alpha] of [
    [over, 1],
    [colour, share],
  ] as const) {
    context.globalAlpha = alpha;
    context.fillStyle = "transparent"; // what stays if the layer is no colour
    context.fillStyle = layer;
    context.fillRect(0, 0, 1, 1);
  }
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
