import { describe, expect, it } from "vitest";
import { RemoteCallError } from "../bridge.ts";
import { explain } from "./explain.ts";
import { render } from "./render.ts";

const plain = { colors: false };

// Forms recorded on the console of Kaia v2.2.1.
describe("values", () => {
  it("print as the Go console does, big numbers in full", () => {
    expect(render({ queued: 0, pending: 10n ** 22n }, plain)).toBe(
      "{\n  pending: 10000000000000000000000,\n  queued: 0\n}",
    );
    expect(render(["a", { b: [] }], plain)).toBe('["a", {\n  b: []\n}]');
    expect(render([undefined, null, {}, 'x"y'], plain)).toBe('[undefined, null, {}, "x\\"y"]');
  });

  it("print functions last, with their parameters", () => {
    const call = Object.assign(() => 1, { parameters: ["address", "block"] });
    expect(render({ z: 1, a: call, b: (x: number) => x }, plain)).toBe(
      "{\n  z: 1,\n  a: function(address, block),\n  b: function(x)\n}",
    );
  });

  it("print text of several lines as it is", () => {
    expect(render("goroutine 1\n  main", plain)).toBe("goroutine 1\n  main");
  });

  it("handle cycles, deep nesting and failing getters", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(render(cycle, plain)).toBe("{\n  self: {Circular}\n}");
    const failing = Object.defineProperty({}, "x", {
      enumerable: true,
      get() {
        throw new Error("no answer");
      },
    });
    expect(render(failing, plain)).toBe("{\n  x: Error: no answer\n}");
    let deep: object = {};
    for (let i = 0; i < 50; i++) deep = { deep };
    expect(render(deep, plain)).toContain("{...}");
  });

  it("have colours on a terminal only", () => {
    expect(render(1n, { colors: true })).toBe("\u001b[33m1\u001b[0m");
  });
});

describe("errors", () => {
  it("show code and hint of the node, and no stack of the console", () => {
    const error = new RemoteCallError({
      message: "no such block",
      code: -32000,
      data: { hint: "Try latest." },
    });
    expect(explain(error, plain)).toBe("Error: no such block (code -32000)\n  hint: Try latest.");
    expect(
      explain(new RemoteCallError({ message: "execution reverted", code: 3, data: "0x08c379a0" }), plain),
    ).toBe("Error: execution reverted (code 3)\n  data: 0x08c379a0");
  });

  it("explain mixed numbers", () => {
    const mixed = (): unknown => (1n as unknown as number) * 2;
    expect(mixed).toThrow(TypeError);
    try {
      mixed();
    } catch (error) {
      expect(explain(error, plain)).toContain("write 1n instead of 1");
    }
  });
});
