import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isBlsSecretKey } from "../../protocol/crypto/bls.ts";
import { readBlsNodeKey, readOrCreateNodeKey } from "../keys/node-key.ts";
import { parseKey, readKeyFile } from "./secret-files.ts";

const folder = mkdtempSync(join(tmpdir(), "kairn-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ZERO = "00".repeat(32);
const LARGE = "ff".repeat(32);
/** Between the orders of the two curves. */
const NO_BLS_KEY = `80${"00".repeat(31)}`;
const RANGE = "a private key lies between 0 and the order of its curve";

describe("keys given by flags", () => {
  it("must be in the range of their curve; the error names the flag", () => {
    expect(parseKey(`0x${"01".repeat(32)}`, "--nodekeyhex")).toEqual(new Uint8Array(32).fill(1));
    expect(parseKey(NO_BLS_KEY, "--nodekeyhex")[0]).toBe(0x80);
    for (const hex of [ZERO, LARGE])
      expect(() => parseKey(hex, "--nodekeyhex")).toThrowError(`--nodekeyhex: ${RANGE}`);
    for (const hex of [ZERO, LARGE, NO_BLS_KEY])
      expect(() => parseKey(hex, "--bls-nodekeyhex", isBlsSecretKey)).toThrowError(
        `--bls-nodekeyhex: ${RANGE}`,
      );
  });

  it("are likewise read from files; the error names the file too", () => {
    const file = join(folder, "key");
    writeFileSync(file, `${ZERO}\n`);
    expect(() => readKeyFile(file, "--nodekey")).toThrowError(`--nodekey ${file}: ${RANGE}`);
  });
});

describe("keys of a data folder", () => {
  it("must be in the range of their curve", () => {
    const said = (name: string) =>
      `${join(folder, name)} holds no private key (between 0 and the order of its curve)`;
    const none = { bytes: (length: number) => new Uint8Array(length) };
    writeFileSync(join(folder, "nodekey"), ZERO);
    expect(() => readOrCreateNodeKey(folder, none)).toThrowError(said("nodekey"));
    writeFileSync(join(folder, "bls-nodekey"), NO_BLS_KEY);
    expect(() => readBlsNodeKey(folder)).toThrowError(said("bls-nodekey"));
    writeFileSync(join(folder, "bls-nodekey"), "abc");
    expect(() => readBlsNodeKey(folder)).toThrowError("holds no private key (64 hex digits)");
  });

  it("that cannot be read are named, as ones that hold no key are", () => {
    const file = join(folder, "bls-nodekey");
    writeFileSync(file, "");
    truncateSync(file, 2 ** 30);
    expect(() => readBlsNodeKey(folder)).toThrow(expect.objectContaining({ code: "NODE_KEY" }));
    expect(() => readBlsNodeKey(folder)).toThrow(`${file} is larger than`);
  });
});
