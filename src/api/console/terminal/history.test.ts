import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InputHistory, mayHoldSecret } from "./history.ts";

const folder = mkdtempSync(join(tmpdir(), "kairn-history-"));
afterAll(() => rmSync(folder, { recursive: true }));
const ADDRESS = `0x${"12".repeat(20)}`;

describe("text that may hold a secret", () => {
  it.each([
    'personal.newAccount("sesame")',
    `personal.unlockAccount("${ADDRESS}", 'sesame', 0)`,
    "personal . importRawKey(`11`)",
    'personal["unlockAccount"](a, "sesame")',
    'p.sign("0x00", a, "sesame")',
    'personal.newAccount(\n"sesame"\n)',
    'personal.newAccount("half',
    `personal.sendTransaction({from: "${ADDRESS}"}, "sesame")`,
    `personal.signAndSendTransaction({from: "${ADDRESS}"}, "sesame")`,
    'var passphrase = "sesame"',
    "const o = { password: 'sesame' }",
    `x = "${"9a".repeat(32)}"`,
    `console.log("${"9a".repeat(32)}0x000x${"12".repeat(20)}")`,
  ])("%s", (source) => expect(mayHoldSecret(source)).toBe(true));

  it.each([
    "personal.newAccount()",
    `personal.unlockAccount("${ADDRESS}", null, 60)`,
    "personal.unlockAccount(eth.accounts[0])",
    'eth.sendTransaction({from: a, value: "0x1"})',
    `klay.sign("${ADDRESS}", "0x1234")`,
    'console.log("text")',
    `eth.getTransaction("0x${"9a".repeat(32)}")`,
    "var pins = 4",
  ])("%s does not", (source) => expect(mayHoldSecret(source)).toBe(false));
});

describe("the history file", () => {
  it("is readable by its owner only, keeps the order and omits secrets", () => {
    const file = join(folder, "deep", "history");
    const history = new InputHistory(file);
    expect(history.read()).toEqual([]);
    const typed = ["eth.blockNumber", 'personal.newAccount("sesame")', " net.version", "txpool.status"];
    const lines: string[] = [];
    for (const line of typed) {
      lines.unshift(line);
      history.take(lines, "");
    }
    history.take(['"sesame"', ...lines], "personal.newAccount(\n");
    expect(readFileSync(file, "utf8")).toBe("eth.blockNumber\ntxpool.status\n");
    expect(lines).toEqual(["txpool.status", "eth.blockNumber"]);
    expect(new InputHistory(file).read()).toEqual(lines);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "deep")).mode & 0o777).toBe(0o700);
  });
});
