import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { askNewSecret, askSecret } from "./prompt.ts";

/** The standard input and error of the process, for this test. */
function scene(isTTY: boolean) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: (mode: boolean) => raw.push(mode) });
  const output = new PassThrough();
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue(output as never);
  return { input, raw, shown: () => String(output.read() ?? "") };
}

describe("a secret", () => {
  it("is prompted for without echo, and the terminal is restored", async () => {
    const { input, raw, shown } = scene(true);
    const asked = askSecret("Passphrase: ");
    input.write("secret\r");
    expect(await asked).toBe("secret");
    expect(shown()).toBe("Passphrase: \n");
    expect(raw).toEqual([true, false]);
    expect([input.listenerCount("data"), input.isPaused()]).toEqual([0, true]);
  });

  it("is one line of a pipe; the rest is left for the next prompt", async () => {
    const { input } = scene(false);
    input.write("one\ntwo");
    expect(await askSecret("")).toBe("one");
    input.end();
    expect(await askSecret("")).toBe("two");
    await expect(askSecret("")).rejects.toMatchObject({
      ...{ name: "UsageError", message: "the input ended before the secret was entered" },
    });
  });

  it("is aborted by Ctrl-C, which also restores the terminal", async () => {
    const { input, raw } = scene(true);
    const asked = askSecret("");
    input.write("\u0003");
    await expect(asked).rejects.toMatchObject({ name: "InterruptedError" });
    expect(raw).toEqual([true, false]);
  });
});

describe("a new secret", () => {
  it("is prompted for twice on a terminal, and must match", async () => {
    const { input, shown } = scene(true);
    const asked = askNewSecret("New passphrase: ");
    input.write("secret\rsecret\r");
    expect(await asked).toBe("secret");
    expect(shown()).toBe("New passphrase: \nRepeat passphrase: \n");
    const other = askNewSecret("");
    input.write("secret\rsecert\r");
    await expect(other).rejects.toMatchObject({
      ...{ name: "UsageError", message: "passphrases do not match" },
    });
  });

  it("is prompted for once elsewhere", async () => {
    const { input } = scene(false);
    input.write("one\ntwo\n");
    expect(await askNewSecret("")).toBe("one");
    expect(await askNewSecret("")).toBe("two");
  });
});
