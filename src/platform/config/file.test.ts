import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readConfigFile } from "./file.ts";

function written(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "node.conf");
  writeFileSync(path, text);
  return path;
}

it("reads JSON, and properties", () => {
  expect(readConfigFile(written(' {"rpcport": 1, "rpc": true, "rpcapi": ["eth", "net"]}'))).toEqual({
    ...{ rpcport: 1, rpc: true, rpcapi: ["eth", "net"] },
  });
  expect(readConfigFile(written("# comment\nRPC_ENABLE=1\nRPC_API=eth,net\n"))).toEqual({
    ...{ RPC_ENABLE: "1", RPC_API: "eth,net" },
  });
});

it.each([
  ["[1]", "an object of settings is expected"],
  ['{"rpc": null}', "rpc is not a text, a number, true, false or a list of them"],
  ['{"rpcapi": ["eth", {}]}', "rpcapi is not a text"],
  ["{", "config file"],
])("refuses %s by name", (text, message) => {
  const path = written(text);
  const refused = { code: "CONFIG_FILE", message: expect.stringContaining(message) };
  expect(() => readConfigFile(path)).toThrow(expect.objectContaining(refused));
  expect(() => readConfigFile(`${path}x`)).toThrow(`cannot read config file ${path}x: `);
});
