import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Keyboard } from "./keyboard.ts";

const never = new AbortController().signal;

/** A keyboard, what it passes to the editor, and what it shows. */
function setUp(isTTY: boolean) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: (mode: boolean) => raw.push(mode) });
  const output = new PassThrough();
  const keyboard = new Keyboard(input, output);
  let lines = "";
  keyboard.lines.on("data", (chunk) => {
    lines += String(chunk);
  });
  return { input, keyboard, raw, lines: () => lines, shown: () => String(output.read() ?? "") };
}

describe("a secret", () => {
  it("is neither echoed nor passed to the editor, and can be corrected", async () => {
    const { input, keyboard, lines, shown } = setUp(true);
    const asked = keyboard.ask("Passphrase: ", never);
    input.write("wrong\u0015sesamé");
    input.write("x\u007f\r");
    expect(await asked).toBe("sesamé");
    expect(shown()).toBe("Passphrase: \n");
    expect(lines()).toBe("");
  });

  it("is one line of a pipe; the next reader gets the rest", async () => {
    const { input, keyboard } = setUp(false);
    input.write("first\r\nsecond\nthird");
    expect(await keyboard.ask("", never)).toBe("first");
    expect(await keyboard.ask("", never)).toBe("second");
    keyboard.close();
    const next = new Keyboard(input, new PassThrough());
    input.end();
    expect(await next.ask("", never)).toBe("third");
    await expect(next.ask("", never)).rejects.toThrow("the input ended before the secret was entered");
  });

  it.each(["\u0003", "abc\u0003", "\u0004"])("is aborted by %j", async (keys) => {
    const { input, keyboard } = setUp(true);
    const asked = keyboard.ask("", never);
    input.write(keys);
    await expect(asked).rejects.toThrow("interrupted");
  });
});

describe("typed input", () => {
  it("is buffered while code runs, then delivered line by line", async () => {
    const { input, keyboard, lines } = setUp(true);
    const release = keyboard.hold(() => {});
    input.write("one\rtwo\r");
    await expect.poll(() => input.readableLength).toBe(0);
    expect(lines()).toBe("");
    keyboard.lines.once("data", () => keyboard.hold(() => {}));
    release();
    await expect.poll(lines).toBe("one\r");
  });

  it("is discarded by Ctrl-C while code runs", async () => {
    const { input, keyboard, lines } = setUp(true);
    let interrupts = 0;
    const release = keyboard.hold(() => interrupts++);
    input.write("lost\r\u0003");
    await expect.poll(() => interrupts).toBe(1);
    release();
    input.write("kept\r");
    await expect.poll(lines).toBe("kept\r");
  });

  it("restores the terminal", () => {
    const { keyboard, raw } = setUp(true);
    keyboard.close();
    expect(raw).toEqual([true, false]);
  });
});
