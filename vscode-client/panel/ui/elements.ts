// The controls of @vscode-elements/elements that the panel uses, as JSX knows them.

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import type { HTMLAttributes } from "preact";

interface ButtonAttributes extends HTMLAttributes<HTMLElement> {
  readonly secondary?: boolean;
  readonly disabled?: boolean;
}

interface CheckboxAttributes extends HTMLAttributes<HTMLInputElement> {
  readonly label?: string;
  readonly checked?: boolean;
}

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "vscode-button": ButtonAttributes;
      "vscode-checkbox": CheckboxAttributes;
    }
  }
}
