import { expect, it } from "vitest";
import { fitted } from "./fitted.ts";

const FROM = `0x${"11".repeat(20)}`;
const TO = `0x${"22".repeat(20)}`;

it("leaves what fits, and everything where there is no end", () => {
  const line = `      ${FROM} → ${TO}   1.5 KAIA`;
  expect(fitted(line, Number.POSITIVE_INFINITY)).toEqual([line]);
  expect(fitted(line, line.length)).toEqual([line]);
});

it("breaks between words, and stands further in afterwards", () => {
  expect(fitted(`      ${FROM} → ${TO}   1.5 KAIA`, 100)).toEqual([
    `      ${FROM} → ${TO}`,
    "        1.5 KAIA",
  ]);
  expect(fitted(`      ${FROM} → ${TO}   1.5 KAIA`, 60)).toEqual([
    `      ${FROM} →`,
    `        ${TO}`,
    "        1.5 KAIA",
  ]);
});

it("keeps in one piece what is longer than a line, and counts no colours", () => {
  const hash = `0x${"ab".repeat(32)}`;
  expect(fitted(`  \u001b[32m✔\u001b[0m \u001b[1mLegacy\u001b[0m  ${hash}`, 60)).toEqual([
    "  \u001b[32m✔\u001b[0m \u001b[1mLegacy\u001b[0m",
    `    ${hash}`,
  ]);
  const painted = `      \u001b[2m${"a".repeat(50)} b\u001b[0m`;
  expect(fitted(painted, 58)).toEqual([painted]);
});
