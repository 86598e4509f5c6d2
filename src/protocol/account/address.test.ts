import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { checksumAddress, contractAddress, saltedContractAddress } from "./address.ts";

interface Case {
  readonly name: string;
  readonly from: string;
  readonly nonce: string;
  readonly salt: string;
  readonly initCodeHash: string;
  readonly checksum: string;
  readonly create: string;
  readonly create2: string;
}

const file = new URL("../../../test/fixtures/vectors/contract-address.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: readonly Case[] };

describe("addresses of the published vectors", () => {
  it.each(cases)("$name", (expected) => {
    const from = hexToBytes(expected.from);
    const salted = saltedContractAddress(from, hexToBytes(expected.salt), hexToBytes(expected.initCodeHash));
    expect({
      checksum: checksumAddress(from),
      create: bytesToHex(contractAddress(from, BigInt(expected.nonce))),
      create2: bytesToHex(salted),
    }).toEqual({ checksum: expected.checksum, create: expected.create, create2: expected.create2 });
  });
});
