import assert from "node:assert/strict";
import { test } from "node:test";
import { contextReport } from "../../src/commands/context-report.ts";
import { escaped, table } from "../../src/commands/markdown.ts";
import { doctorReport } from "../../src/commands/reports.ts";

test("what is told is no Markdown of its own", () => {
  assert.equal(escaped("a|b *c*\n<d> [e](f)"), "a\\|b \\*c\\* \\<d\\> \\[e\\](f)");
  assert.equal(table(["x"], [["a|b"]]), "| x |\n| --- |\n| a\\|b |");
});

test("doctor says what to do first", () => {
  const well = { name: "Python", state: "ok", detail: "3.12", nextStep: "" } as const;
  assert.match(doctorReport({ checks: [well] }), /All is well\..*\| Python \| ✓ \| 3\.12 \|/s);
  const ill = { name: "Key", state: "warning", detail: "none", nextStep: "Set one." } as const;
  assert.match(doctorReport({ checks: [well, ill] }), /^# .*- \*\*Key:\*\* Set one\.\n\n\|/s);
  assert.match(doctorReport({ checks: [ill] }), /\| Key \| warning \| none \|/);
});

test("the context, layer by layer", () => {
  const part = { kind: "question", name: "questions", why: "asked", count: 2 } as const;
  const report = contextReport({
    sessionId: "s",
    title: "T",
    model: "m",
    offline: false,
    window: 1000,
    compactAt: null,
    tokens: 100,
    cached: 50,
    cachedUntil: null,
    counted: null,
    estimated: null,
    basis: "estimated",
    layers: [
      {
        name: "conversation",
        tokens: 100,
        cached: 50,
        parts: [{ ...part, tokens: 50, cached: 0, deferred: false, cut: "12 more" }],
      },
    ],
    leftOut: ["As the workspace is not trusted: AGENTS.md."],
  });
  assert.match(report, /100 of 1,000 tokens \(10 %\)/);
  assert.match(report, /\| questions × 2 \| 50 \| █{10} \| 0 \| asked; cut: 12 more \|/);
  assert.match(report, /## Left out\n\n- As the workspace is not trusted: AGENTS\.md\.$/);
});
