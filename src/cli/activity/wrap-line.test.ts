import { expect, it } from "vitest";
import { wrapLine } from "./wrap-line.ts";

const FROM = `0x${"11".repeat(20)}`;
const TO = `0x${"22".repeat(20)}`;

it("leaves lines that fit, and all lines without a limit", () => {
  const line = `      ${FROM} → ${TO}   1.5 KAIA`;
  expect(wrapLine(line, Number.POSITIVE_INFINITY)).toEqual([line]);
  expect(wrapLine(line, line.length)).toEqual([line]);
});

it("breaks between words, and indents continuation lines", () => {
  expect(wrapLine(`      ${FROM} → ${TO}   1.5 KAIA`, 100)).toEqual([
    `      ${FROM} → ${TO}`,
    "        1.5 KAIA",
  ]);
  expect(wrapLine(`      ${FROM} → ${TO}   1.5 KAIA`, 60)).toEqual([
    `      ${FROM} →`,
    `        ${TO}`,
    "        1.5 KAIA",
  ]);
});

it("never breaks a word, and ignores colours", () => {
  const hash = `0x${"ab".repeat(32)}`;
  expect(wrapLine(`  \u001b[32m✔\u001b[0m \u001b[1mLegacy\u001b[0m  ${hash}`, 60)).toEqual([
    "  \u001b[32m✔\u001b[0m \u001b[1mLegacy\u001b[0m",
    `    ${hash}`,
  ]);
  const painted = `      \u001b[2m${"a".repeat(50)} b\u001b[0m`;
  expect(wrapLine(painted, 58)).toEqual([painted]);
});
