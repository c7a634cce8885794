// Markdown as answers use it: no HTML, no pictures, links to the web and to places in the workspace,
// citations, tables and task lists. What it makes is still sanitised.

import Parser, {
  type MarkdownIt,
  type RendererRule,
  type StateCore,
  type StateInline,
  type Token,
} from "markdown-it";
import {
  linkTo,
  type Mark,
  type Mentioned,
  markAt,
  mentionInCode,
  mentionsIn,
} from "../state/cites.ts";
import { highlighted } from "./highlight.ts";

const WEB = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:|^\/\//i;
const TASK = /^\[([ xX])\]\s+/;

function build(): MarkdownIt {
  const md = new Parser("default", { html: false, linkify: true, breaks: false });
  md.validateLink = (url) => WEB.test(url) || !SCHEME.test(url.trim());
  md.inline.ruler.before("link", "cite", cite);
  md.inline.ruler.before("link", "linked cite", linkedCite);
  md.core.ruler.after("inline", "mentions", mentions);
  md.core.ruler.after("mentions", "tasks", tasks);
  Object.assign(md.renderer.rules, RULES);
  return md;
}

function cite(state: StateInline, silent: boolean): boolean {
  const found = state.src.charCodeAt(state.pos) === 0x5b ? markAt(state.src, state.pos) : null;
  if (!found || state.pos + found.length > state.posMax) {
    return false;
  }
  const after = punctuation(state.src, state.pos + found.length, state.posMax);
  if (!silent) {
    pushed(state, found.marks, after);
  }
  state.pos += found.length + after.length;
  return true;
}

/** Of a link that leads to a mark the words stay, and the mark follows them. */
function linkedCite(state: StateInline, silent: boolean): boolean {
  const link = state.src.charCodeAt(state.pos) === 0x5b ? linkTo(state.src, state.pos) : null;
  const found = link && markAt(state.src, link.mark);
  const end = found ? link.mark + found.length : 0;
  if (!(link && found) || state.src[end] !== ")" || end >= state.posMax) {
    return false;
  }
  const after = punctuation(state.src, end + 1, state.posMax);
  if (!silent) {
    const { posMax } = state;
    state.pos += 1;
    state.posMax = state.pos + link.words;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    pushed(state, found.marks, after);
  }
  state.pos = end + 1 + after.length;
  return true;
}

/** The marks, the last one with what stays with it. */
function pushed(state: StateInline, marks: readonly Mark[], after: string): void {
  marks.forEach((mark, at) => {
    const last = at === marks.length - 1;
    state.push("cite", "", 0).meta = { key: mark.key, after: last ? after : "" };
  });
}

/** What must not begin a line: it stays with the citation before it. */
function punctuation(text: string, from: number, to: number): string {
  return /^[.,;:!?)]*/.exec(text.slice(from, Math.min(to, from + 3)))?.[0] ?? "";
}

/** After each mention of lines stands what cites them, to be seen if the path is one of a file. */
function mentions(state: StateCore): void {
  for (const token of state.tokens) {
    let links = 0;
    token.children = (token.children ?? []).flatMap((child) => {
      links += child.type === "link_open" ? 1 : child.type === "link_close" ? -1 : 0;
      return links > 0 ? [child] : withMentions(state, child);
    });
  }
}

function withMentions(state: StateCore, token: Token): Token[] {
  const found = mentionedIn(token);
  if (found.length === 0) {
    return [token];
  }
  const isCode = token.type === "code_inline";
  let at = 0;
  const parts = found.flatMap(({ end, marks }) => {
    // not "text", in which addresses are looked for
    const text = new state.Token(isCode ? "code_inline" : "text_special", isCode ? "code" : "", 0);
    Object.assign(text, { content: token.content.slice(at, end), markup: token.markup });
    const cited = marks.map(({ key }) => {
      const cite = new state.Token("cite", "", 0);
      cite.meta = { key, after: "" };
      return cite;
    });
    at = end;
    return [text, ...cited];
  });
  token.content = token.content.slice(at);
  return token.content === "" ? parts : [...parts, token];
}

function mentionedIn({ type, content }: Token): readonly Mentioned[] {
  if (type === "code_inline") {
    const marks = mentionInCode(content);
    return marks.length > 0 ? [{ start: 0, end: content.length, marks }] : [];
  }
  return type === "text" ? mentionsIn(content) : [];
}

function tasks(state: StateCore): void {
  state.tokens.forEach((token, at) => {
    const first = token.children?.[0];
    const found = token.type === "inline" && state.tokens[at - 2]?.type === "list_item_open";
    const box = found && first?.type === "text" ? TASK.exec(first.content) : null;
    if (first && box) {
      first.content = first.content.slice(box[0].length);
      const task = new state.Token("task", "", 0);
      task.meta = { done: box[1] !== " " };
      token.children?.unshift(task);
      state.tokens[at - 2]?.attrSet("class", "task");
    }
  });
}

const RULES: Record<string, RendererRule> = {
  cite: (tokens, at) => {
    const key = String(tokens[at]?.meta?.["key"]);
    const after = String(tokens[at]?.meta?.["after"]);
    return `<span class="cited"><button class="cite" data-cite="${escaped(key)}"></button>${after}</span>`;
  },
  task: (tokens, at) =>
    tokens[at]?.meta?.["done"]
      ? '<span class="box done" role="img" aria-label="done"></span>'
      : '<span class="box" role="img" aria-label="to do"></span>',
  fence: (tokens, at) => code(tokens[at]?.content ?? "", tokens[at]?.info ?? ""),
  code_block: (tokens, at) => code(tokens[at]?.content ?? "", ""),
  image: (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const words = token?.children ? self.renderInlineAsText(token.children, options, {}) : "";
    const address = attribute(token, "src");
    return WEB.test(address)
      ? `<a href="${escaped(address)}">${escaped(words || address)}</a>`
      : escaped(words);
  },
  link_open: (tokens, at) => {
    const address = attribute(tokens[at], "href");
    if (WEB.test(address)) {
      return `<a href="${escaped(address)}">`;
    }
    const place = placeIn(address);
    return `<button class="path" data-path="${escaped(place.path)}" data-line="${place.line}">`;
  },
  link_close: (tokens, at) => {
    const open = openingOf(tokens, at);
    return WEB.test(attribute(open, "href")) ? "</a>" : "</button>";
  },
  th_open: (tokens, at) => cell("th", attribute(tokens[at], "style")),
  td_open: (tokens, at) => cell("td", attribute(tokens[at], "style")),
};

/** The parser and renderer, set up once. */
export const markdown = build();

function openingOf(tokens: readonly Token[], close: number): Token | null {
  const level = tokens[close]?.level;
  const before = tokens.slice(0, close);
  return before.findLast((token) => token.type === "link_open" && token.level === level) ?? null;
}

function attribute(token: Token | null | undefined, name: string): string {
  return String(token?.attrGet(name) ?? "");
}

/** `src/a.py#L3`, `src/a.py:3` or `src/a.py` as a path and a line. */
function placeIn(address: string): { path: string; line: number } {
  const found = /^(.*?)(?:#L(\d+)[^#]*|:(\d+)(?:[-:]\d+)?)?$/.exec(decoded(address));
  return { path: found?.[1] ?? address, line: Number(found?.[2] ?? found?.[3] ?? 1) };
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address; // not encoded after all
  }
}

/** Alignment by a class: the policy of the page forbids style attributes. */
function cell(name: "th" | "td", style: string): string {
  const side = /text-align:(left|center|right)/.exec(style)?.[1];
  return side ? `<${name} class="${side}">` : `<${name}>`;
}

function code(text: string, info: string): string {
  const language = /^[\w+#.-]+/.exec(info.trim())?.[0] ?? "";
  const body = highlighted(text, language) ?? escaped(text);
  const label = language ? ` data-language="${escaped(language)}"` : "";
  return `<div class="code"${label}><pre><code>${body}</code></pre></div>`;
}

function escaped(text: string): string {
  return markdown.utils.escapeHtml(text);
}
