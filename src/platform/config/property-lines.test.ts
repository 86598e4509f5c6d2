import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfigFile } from "./file.ts";

const file = join(mkdtempSync(join(tmpdir(), "kairn-config-")), "node.properties");

function read(text: string, isScript?: boolean): Record<string, unknown> {
  writeFileSync(file, text);
  return readConfigFile(file, isScript);
}

it("reads comments, blank lines, quoted values of several lines and text after a byte order mark", () => {
  const text = '\ufeff# one\r\n\r\nexport A=1 # two\nB="a\nb: c\nd"\nC = \'x\nD=\n';
  expect({ ...read(text) }).toEqual({ A: "1", B: "a\nb: c\nd", C: "'x", D: "" });
  expect(read('\ufeff{"a":1}')).toEqual({ a: 1 });
});

it.each([
  ["a: 1", 1],
  ["A=1\n\nKEY secret", 3],
  ['A="x\ny"\nB: secret', 3],
  ["A='x\nB: secret", 2],
  ["null", 1],
  ["=secret", 1],
])("refuses lines that set nothing, without showing them: %j", (text, line) => {
  expect(() => read(text)).toThrow(
    `config file ${file}: line ${line} is neither JSON nor a setting such as RPC_ENABLE=1`,
  );
});

it("skips such lines of a script", () => {
  expect({ ...read("A=1\nfi", true) }).toEqual({ A: "1" });
});
