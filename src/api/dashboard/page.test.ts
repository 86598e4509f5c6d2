import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cachedPage } from "../../../scripts/build-dashboard.mjs";
import { gkei, grouped, kaia, shortened, words } from "./kernel/format.ts";
import { match } from "./kernel/router.ts";
import { parseResponse, visible } from "./kernel/visible.ts";

/** Maximum size of all files, gzipped. */
const MAX_SIZE = 150_000;
const room = fileURLToPath(new URL(".", import.meta.url));

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

describe("the page as it is built", () => {
  it("is small", () => {
    const sizes = filesOf(cachedPage).map((path) => gzipSync(readFileSync(path), { level: 9 }).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    expect(size).toBeGreaterThan(20_000);
    expect(size).toBeLessThanOrEqual(MAX_SIZE);
  });

  it("has no inline script or style, and refers to no other host", () => {
    const index = readFileSync(join(cachedPage, "index.html"), "utf8");
    expect(index).not.toMatch(/<script(?![^>]*src=)|<style|style=| on\w+=/);
    expect(index).not.toMatch(/https?:/);
  });

  it("shows something before its script runs", () => {
    const index = readFileSync(join(cachedPage, "index.html"), "utf8");
    expect(index).toMatch(/<div id="page"><p class="waiting first">Loading…<\/p><\/div>/);
  });

  it("has sources that render text, never HTML", () => {
    const sources = filesOf(room).filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts"));
    expect(sources.length).toBeGreaterThan(20);
    for (const path of sources)
      expect(readFileSync(path, "utf8"), path).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|localStorage|sessionStorage|\beval\b/,
      );
  });
});

describe("what the node sends", () => {
  it("is parsed by `parseResponse` alone", () => {
    const sources = filesOf(room).filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts"));
    const parsing = sources.filter((path) => /\.json\(\)|JSON\.parse/.test(readFileSync(path, "utf8")));
    const fromTheUser = ["kernel/read.ts", "screens/contract.tsx", "screens/key-editor.tsx"];
    expect(parsing.map((path) => path.slice(room.length)).sort()).toEqual([
      ...fromTheUser.slice(0, 1),
      "kernel/visible.ts",
      ...fromTheUser.slice(1),
    ]);
  });
});

describe("rule 7: sending requires confirmation", () => {
  const SENDING = /(?<!needs: .*)"(kaia_send\w+|evm_revert|anvil_setBalance)"|call\(DROP/;

  it("in a panel, in each file that sends", () => {
    const sending = filesOf(room).filter(
      (path) => path.endsWith(".tsx") && SENDING.test(readFileSync(path, "utf8")),
    );
    expect(sending.length).toBeGreaterThan(4);
    for (const path of sending) expect(readFileSync(path, "utf8"), path).toMatch(/<(ConfirmPanel|SendPanel)/);
  });
});

describe("formatting", () => {
  it("escapes invisible characters, and those that change the text direction", () => {
    expect(visible("a\u202eb\u0000c\u200b\n")).toBe("a\\u{202e}b\\u{0}c\\u{200b}\\u{a}");
    expect(visible("ä 中 😀")).toBe("ä 中 😀");
    expect(visible("x".repeat(12), 10)).toBe(`${"x".repeat(10)}… (2 more)`);
  });

  it("escapes blank letters, halves of characters, and marks beyond four on a letter", () => {
    expect(visible("a\u3164b\ud800c")).toBe("a\\u{3164}b\\u{d800}c");
    expect(visible(`e${"\u0301".repeat(4)}\u0489x`)).toBe(`e${"\u0301".repeat(4)}\\u{489}x`);
    expect(visible("ệ ที่ हिन्दी ❤\ufe0f")).toBe("ệ ที่ हिन्दी ❤\ufe0f");
  });

  it("makes every text of a response visible, and changes nothing else", () => {
    const sent = { a: ["x\u202ey", 1, null, true], b: { c: "line\n\tnext\u0000" }, d: "0xab" };
    const shown = { ...sent, a: ["x\\u{202e}y", 1, null, true], b: { c: "line\n\tnext\\u{0}" } };
    expect(parseResponse(JSON.stringify(sent))).toEqual(shown);
    expect(parseResponse('{"a":"\\u202e"}')).toEqual({ a: "\\u{202e}" });
    expect(parseResponse(`{"a":"e${"\u0301".repeat(5)}"}`)).toEqual({ a: `e${"\u0301".repeat(4)}\\u{301}` });
    expect(() => parseResponse("{")).toThrow(SyntaxError);
  });

  it("formats amounts without losing digits, unless indicated", () => {
    expect(kaia(1_500_000_000_000_000_000n)).toBe("1.5 KAIA");
    expect(kaia(1n)).toBe("1 kei");
    expect(kaia(0n)).toBe("0 KAIA");
    expect(kaia(1_234_567_890_123_456_789n)).toBe("1.234567890123456789 KAIA");
    expect(kaia(1_234_567_890_123_456_789n, 6)).toBe("1.234567… KAIA");
    expect(kaia(27_500_000_000n, 6)).toBe("27.5 gkei");
    expect(kaia(1_000_000_000_000n, 6)).toBe("0.000001 KAIA");
    expect(kaia(10_000n * 10n ** 18n)).toBe("10\u202f000 KAIA");
    expect(gkei(25_000_000_000n)).toBe("25 gkei");
    expect(grouped(1234567)).toBe("1\u202f234\u202f567");
  });

  it("shortens hashes, and writes types as words", () => {
    expect(shortened("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266")).toBe("0xf39f…2266");
    expect(shortened("0x1234")).toBe("0x1234");
    expect(words("FeeDelegatedValueTransferWithRatio")).toBe("Fee delegated value transfer with ratio");
  });
});

describe("paths", () => {
  it("match patterns as a whole", () => {
    expect(match("/blocks/:number", "/blocks/12")).toEqual({ number: "12" });
    expect(match("/search/:text", "/search/a%20%2Fb")).toEqual({ text: "a /b" });
    expect(match("/search/:text", "/search/%E0%A4%A")).toEqual({ text: "%E0%A4%A" });
    expect(match("/blocks", "/blocks/12")).toBeUndefined();
    expect(match("/", "/")).toEqual({});
  });

  it("have parameters that are safe to show, and short", () => {
    const params = match("/search/:text", `/search/%E2%80%AE${"x".repeat(300)}`);
    expect(params).toEqual({ text: `\\u{202e}${"x".repeat(199)}… (101 more)` });
  });
});
