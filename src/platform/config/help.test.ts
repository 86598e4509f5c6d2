import { describe, expect, it } from "vitest";
import { formatValue, optionHelp } from "./help.ts";
import { option } from "./option.ts";
import * as t from "./types.ts";

describe("the help of options", () => {
  it("is aligned, and shows each default that says something and is no secret", () => {
    expect(
      optionHelp({
        on: option({ flag: "rpc", type: t.boolean, default: false, doc: "Serves HTTP." }),
        off: option({ flag: "ws", type: t.boolean, default: true, doc: "Serves WebSocket." }),
        port: option({ flag: "rpcport", type: t.port, default: 8551, doc: "Its port." }),
        none: option({ flag: "log", type: t.path, default: undefined, doc: "A file." }),
        empty: option({ flag: "name", type: t.string, default: "", doc: "A name." }),
        key: option({ flag: "key", type: t.string, default: "hush", doc: "A key.", secret: true }),
        list: option({ flag: "api", type: t.list, default: ["net", "eth"], doc: "Modules." }),
        coins: option({ flag: "balance", type: t.coins, default: 5n * 10n ** 17n, doc: "Of each." }),
      }),
    ).toEqual([
      "  --rpc           Serves HTTP.",
      "  --ws            Serves WebSocket. [true]",
      "  --rpcport PORT  Its port. [8551]",
      "  --log PATH      A file.",
      "  --name TEXT     A name.",
      "  --key TEXT      A key.",
      "  --api LIST      Modules. [net,eth]",
      "  --balance KAIA  Of each. [0.5]",
    ]);
  });

  it("puts the text below a flag that is too long to stand beside it", () => {
    const [first, second, third] = optionHelp({
      long: option({ flag: "x".repeat(40), type: t.boolean, default: false, doc: "Long." }),
      fits: option({ flag: "y".repeat(33), type: t.boolean, default: false, doc: "Fits." }),
      full: option({ flag: "z".repeat(34), type: t.boolean, default: false, doc: "Full." }),
    });
    const margin = " ".repeat(38);
    expect(first).toBe(`  --${"x".repeat(40)}\n${margin}Long.`);
    expect(second).toBe(`  --${"y".repeat(33)} Fits.`);
    expect(third).toBe(`  --${"z".repeat(34)}\n${margin}Full.`);
    expect(optionHelp({})).toEqual([]);
  });
});

it("values are shown as they would be written", () => {
  expect(formatValue({ type: t.duration }, 300_000)).toBe("5m");
  expect(formatValue({ type: t.list }, ["a", "b"])).toBe("a,b");
  expect(formatValue({ type: t.port }, undefined)).toBe("");
  expect(formatValue({ type: t.bigNumber }, 12n)).toBe("12");
});
