import assert from "node:assert/strict";
import { harness, panelTest } from "./harness/opened.ts";
import { NEW, situation } from "./harness/streams.ts";

const SAMPLES = [
  "<script>window.hit = 1</script>",
  "<img src=x onerror=window.hit=1>",
  "<svg/onload=window.hit=1>",
  "<svg><style><img src=x onerror=window.hit=1></style></svg>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=window.hit=1&gt;'>",
  "<noscript><p title='</noscript><img src=x onerror=window.hit=1>'>",
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=window.hit=1>",
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<iframe src=https://evil.example/></iframe>",
  "<object data=https://evil.example/></object><embed src=https://evil.example/>",
  "<style>* { background: url(https://evil.example/s) }</style>",
  "<link rel=stylesheet href=https://evil.example/l.css>",
  "<base href=https://evil.example/><meta http-equiv=refresh content='0;url=https://evil.example/'>",
  "<div style='background:url(https://evil.example/d)' onclick=window.hit=1>x</div>",
  "<details open ontoggle=window.hit=1>",
  "<a href=javascript:window.hit=1 id=x name=body>x</a>",
  "[x](javascript:window.hit=1)",
  "[x](JaVaScRiPt:window.hit=1)",
  "[x](java&#x0A;script:window.hit=1)",
  "[x](vbscript:x) [x](data:text/html,<script>parent.hit=1</script>) [x](file:///etc/passwd)",
  "[x](command:workbench.action.quit) [x](vscode://evil.example/x)",
  "![x](https://evil.example/i.png)",
  "![x](data:image/svg+xml,<svg/onload=window.hit=1>)",
  "![x][r]\n\n[r]: https://evil.example/r.png",
  '<https://evil.example/"onmouseover="window.hit=1>',
  '[x](https://evil.example/"onmouseover="window.hit=1 \'title" onfocus=window.hit=1\')',
  '```"><img src=x onerror=window.hit=1>\n<img src=x onerror=window.hit=1>\n```',
  "`<img src=x onerror=window.hit=1>`",
  '[cite: doc, "><img src=x onerror=window.hit=1>, L1-L2]',
  '[x]("><img src=x onerror=window.hit=1>.py)',
  "| <img src=x onerror=window.hit=1> |\n|:-:|\n| <script>window.hit=1</script> |",
  "- [x] <img src=x onerror=window.hit=1>",
];
const ELEMENTS =
  "script,style,img,svg,math,iframe,object,embed,form,link,base,meta,video,audio,input,textarea,template,noscript";

panelTest(
  "hostile Markdown does nothing and loads nothing",
  async () => {
    await harness.tell(situation(), NEW);
    for (const [at, sample] of SAMPLES.entries()) {
      const event = (seq: number, more: object) => ({ runId: `r${at}`, seq, ...more });
      await harness.tell({
        type: "events",
        events: [
          event(0, {
            kind: "run.started",
            sessionId: "s",
            question: sample,
            model: sample,
            offline: false,
            attachments: [{ name: sample, uri: sample, firstLine: null, lastLine: null }],
            onlyReads: false,
            plan: "auto",
            beganAt: "",
          }),
          event(1, { kind: "thinking.delta", text: sample }),
          event(2, {
            kind: "tool.started",
            callId: "c",
            tool: sample,
            arguments: { path: sample },
          }),
          event(3, {
            kind: "tool.finished",
            callId: "c",
            tool: sample,
            summary: sample,
            error: true,
            milliseconds: 1,
          }),
          event(4, { kind: "notice", message: sample }),
          event(5, { kind: "text.delta", text: sample.slice(0, 9) }),
          event(6, { kind: "text.delta", text: sample.slice(9) }),
          event(7, { kind: "run.failed", message: sample }),
        ],
      } as never);
      const found = await harness.page.evaluate((elements) => {
        const all = [...document.querySelectorAll(".markdown *, .question *, .notice *")];
        return {
          elements: all.filter((each) => each.matches(elements)).map((each) => each.tagName),
          attributes: all.flatMap((each) =>
            each.getAttributeNames().filter((name) => name.startsWith("on") || name === "style"),
          ),
          links: all.flatMap((each) => (each instanceof HTMLAnchorElement ? [each.protocol] : [])),
        };
      }, ELEMENTS);
      assert.deepEqual(found.elements, [], sample);
      assert.deepEqual(found.attributes, [], sample);
      assert.deepEqual(
        found.links.filter((protocol) => !/^https?:$/.test(protocol)),
        [],
        sample,
      );
    }
    const hit = await harness.page.evaluate(() => {
      for (const each of document.querySelectorAll<HTMLElement>(".markdown a, .markdown [class]")) {
        each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      }
      return (window as unknown as { hit?: number }).hit;
    });
    assert.equal(hit, undefined);
    assert.deepEqual(
      await harness.refused(),
      [],
      "nothing was even tried that the policy had to stop",
    );
    assert.deepEqual(harness.problems, []);
    const known =
      /^\/(|panel\.(js|css)|chunks\/[\w-]+\.js|codicon\.ttf|fake\.js|ground\.css|vscode\.css|(dark|dark-modern|light|contrast|contrast-light|solarized-light)\.css|favicon\.ico)$/;
    assert.deepEqual(
      harness.requests.filter((path) => !known.test(path)),
      [],
    );
  },
  { loaded: true },
);
