import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBlockContext } from "../../ledger/execution/environment.ts";
import { addressWord, callInput, uintWord } from "../../ledger/extensions/contracts/abi.ts";
import { ADDRESS_BOOK, REGISTRY } from "../../ledger/extensions/contracts/addresses.ts";
import { createJournal } from "../../ledger/state/journal/journal.ts";
import { parseNodeUrl } from "../../network/p2p/node-url.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { blsSecretKey, loadBls } from "../../protocol/crypto/bls.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { rulesAt } from "../../protocol/params/rules.ts";
import { type Address, concat, ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { readGenesisJson } from "../storage/genesis.ts";
import { type Ledger, openLedger } from "../storage/ledger.ts";
import { writeNetwork } from "./write-network.ts";

let directory: string;
let ledger: Ledger;
let written: Awaited<ReturnType<typeof writeNetwork>>;

const setup = (folder: string) => ({
  ...{ directory: folder, validators: 4, chainId: 7_000, host: "127.0.0.1" },
  ports: { peers: 30_000, http: 9_000 },
});
const keyIn = (file: string): Uint8Array => hexToBytes(`0x${readFileSync(join(directory, file), "utf8")}`);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "kairn-setup-"));
  written = await writeNetwork(setup(directory), systemRuntime);
  const text = readFileSync(join(directory, "genesis.json"), "utf8");
  ledger = await openLedger({
    ...{ genesis: readGenesisJson({ text }), recovery: createInlineRecovery, runtime: systemRuntime },
  });
});

afterEach(async () => {
  await ledger.store.close();
  rmSync(directory, { recursive: true });
});

describe("a new network", () => {
  it("has keys readable only by their owner, and nodes that know each other", () => {
    for (const [i, validator] of written.validators.entries()) {
      const folder = `node${i + 1}/klay`;
      expect(statSync(join(directory, folder, "nodekey")).mode & 0o777).toBe(0o600);
      expect(statSync(join(directory, folder, "bls-nodekey")).mode & 0o777).toBe(0o600);
      const key = keyIn(`${folder}/nodekey`);
      expect(addressOfPublicKey(publicKeyOf(key))).toEqual(validator);
      expect(keyIn(`${folder}/bls-nodekey`)).toEqual(blsSecretKey(key));
      const urls = JSON.parse(readFileSync(join(directory, folder, "static-nodes.json"), "utf8"));
      const ports = urls.map((url: string) => parseNodeUrl(url).tcp);
      expect(ports).toEqual([30_000, 30_001, 30_002, 30_003].filter((port) => port !== 30_000 + i));
    }
    expect(statSync(join(directory, "owner-key")).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "start.sh")).mode & 0o777).toBe(0o755);
  });

  it("never overwrites another", async () => {
    await expect(writeNetwork(setup(directory), systemRuntime)).rejects.toThrowError("is there already");
  });

  it("gives every validator a council seat, a stake and a BLS key", async () => {
    const { extensions } = ledger;
    const sorted = (addresses: readonly Address[]) => addresses.map(bytesToHex).sort();
    expect(sorted(extensions.validators.qualified(1n))).toEqual(sorted(written.validators));
    const { nodes } = extensions.staking.at(1n);
    expect(nodes.map(({ nodeId }) => nodeId)).toEqual(written.validators);
    expect(nodes.map(({ amount }) => amount)).toEqual([5_000_000n, 5_000_000n, 5_000_000n, 5_000_000n]);
    const bls = await loadBls();
    for (const [i, validator] of written.validators.entries()) {
      const secret = keyIn(`node${i + 1}/klay/bls-nodekey`);
      expect(extensions.blsKeys?.publicKey(validator, 1n)).toEqual(bls.publicKey(secret));
    }
  });
});

describe("the contracts of a new network", () => {
  const stranger = new Uint8Array(20).fill(9);
  const KIP113 = hexToBytes("0x0000000000000000000000000000000000000402");

  /** Calls contracts one after the other over the genesis, and returns what the extensions read afterwards. */
  function world() {
    const { chain, evm, store } = ledger;
    const state = createJournal(store.latest());
    const { header } = chain.head;
    const call = (caller: Address, to: Address, input: Uint8Array) => {
      const context = createBlockContext({
        ...{ header, author: ZERO_ADDRESS, rules: rulesAt(chain.config, 1n), ancestorHash: () => undefined },
      });
      const message = { caller, to, value: 0n, input, gas: 10_000_000n };
      const transaction = { origin: caller, gasPrice: 0n, feePayer: caller, blobHashes: [] };
      return evm.run(message, context, transaction, state, {});
    };
    return { call };
  }

  function registration(validator: Address, publicKey: Uint8Array, possession: Uint8Array): Uint8Array {
    const padding = new Uint8Array(16);
    return concat(
      callInput("register(address,bytes,bytes)", addressWord(validator), uintWord(96n), uintWord(192n)),
      ...[uintWord(BigInt(publicKey.length)), publicKey, padding],
      ...[uintWord(BigInt(possession.length)), possession],
    );
  }

  /** Addresses and keys as `getAllBlsInfo` gives them, by hand. */
  function allKeys(output: Uint8Array): Record<string, readonly [string, string]> {
    const word = (at: number) => Number(BigInt(bytesToHex(output.subarray(at, at + 32))));
    const [nodes, infos] = [word(0), word(32)];
    expect(word(infos)).toBe(word(nodes));
    const entry = (i: number): [string, readonly [string, string]] => {
      const at = infos + 32 + word(infos + 32 + 32 * i);
      const bytes = (offset: number) => {
        const start = at + word(at + offset);
        return bytesToHex(output.subarray(start + 32, start + 32 + word(start)));
      };
      const node = output.subarray(nodes + 44 + 32 * i, nodes + 64 + 32 * i);
      return [bytesToHex(node), [bytes(0), bytes(32)]];
    };
    return Object.fromEntries(Array.from({ length: word(nodes) }, (_, i) => entry(i)));
  }

  it("let only their owner register, replace and remove BLS keys", () => {
    const { call } = world();
    const { owner, validators } = written;
    const read = () => allKeys(call(stranger, KIP113, callInput("getAllBlsInfo()")).output);
    const before = read();
    expect(Object.keys(before)).toEqual(validators.map(bytesToHex));
    const [key, proof] = [new Uint8Array(48).fill(5), new Uint8Array(96).fill(6)];
    const added = registration(stranger, key, proof);
    expect(call(stranger, KIP113, added).outcome).not.toBe("success");
    expect(call(owner, KIP113, registration(stranger, new Uint8Array(47), proof)).outcome).not.toBe(
      "success",
    );
    expect(call(owner, KIP113, added).outcome).toBe("success");
    const entry = [bytesToHex(key), bytesToHex(proof)];
    expect(read()).toEqual({ ...before, [bytesToHex(stranger)]: entry });
    const first = validators[0] as Address;
    expect(call(owner, KIP113, registration(first, key, proof)).outcome).toBe("success");
    expect(read()[bytesToHex(first)]).toEqual(entry);
    expect(call(owner, KIP113, callInput("unregister(address)", addressWord(first))).outcome).toBe("success");
    expect(Object.keys(read())).toEqual([stranger, ...validators.slice(1)].map(bytesToHex));
    expect(call(owner, KIP113, callInput("unregister(address)", addressWord(first))).outcome).not.toBe(
      "success",
    );
    expect(call(owner, ADDRESS_BOOK, callInput("owner()")).output).toEqual(addressWord(owner));
  });

  it("let their owner add validators to the address book", () => {
    const { call } = world();
    const { owner } = written;
    const input = callInput(
      "register(address,address,address)",
      ...[stranger, REGISTRY, ADDRESS_BOOK].map(addressWord),
    );
    expect(call(stranger, ADDRESS_BOOK, input).outcome).not.toBe("success");
    expect(call(owner, ADDRESS_BOOK, input).outcome).toBe("success");
    const { output } = call(stranger, ADDRESS_BOOK, callInput("getAllAddress()"));
    const words = Array.from({ length: output.length / 32 }, (_, i) => output.subarray(32 * i, 32 * i + 32));
    const count = 3 * 5 + 2;
    expect(words.length).toBe(2 + 2 * (count + 1));
    expect(words.slice(3, 3 + count).map((word) => word[31])).toEqual([
      ...[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4],
    ]);
    const added = words.slice(-5).map((word) => bytesToHex(word.subarray(12)));
    expect(added).toEqual([stranger, REGISTRY, ADDRESS_BOOK, owner, owner].map(bytesToHex));
  });
});
