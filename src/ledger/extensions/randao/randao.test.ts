import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { newContract } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { blsSecretKey, loadBls } from "../../../protocol/crypto/bls.ts";
import { parseChainConfig } from "../../../protocol/params/parse-config.ts";
import { type Address, concat, EMPTY_BYTES, trimLeadingZeros } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateReader } from "../../state/state.ts";
import { addressWord, callInput, stringWords, uintWord } from "../contracts/abi.ts";
import { REGISTRY } from "../contracts/addresses.ts";
import { BlsKeys } from "./bls-keys.ts";
import { makeRandomReveal, nextMixHash, revealMessage } from "./random-reveal.ts";
import { registryInstallHooks } from "./registry-install.ts";

const fixtures = new URL("../../../../test/fixtures/", import.meta.url);
const vector = JSON.parse(readFileSync(new URL("vectors/net/randao.json", fixtures), "utf8"));
const bls = await loadBls();

describe("random reveals", () => {
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  it.each(vector.rows as any[])(
    "equal those of recorded block $number",
    ({ number, parentMixHash, randomReveal, mixHash }) => {
      const secretKey = blsSecretKey(hexToBytes(vector.nodeKey));
      expect(bytesToHex(secretKey)).toBe(vector.blsSecretKey);
      const input = { number: BigInt(number), secretKey, parentMixHash: hexToBytes(parentMixHash) };
      const made = makeRandomReveal(bls, input);
      expect([bytesToHex(made.randomReveal), bytesToHex(made.mixHash)]).toEqual([randomReveal, mixHash]);
      expect(nextMixHash(input.parentMixHash, made.randomReveal)).toEqual(made.mixHash);
      const publicKey = hexToBytes(vector.blsPublicKey);
      expect(bls.verify(made.randomReveal, revealMessage(input.number), publicKey)).toBe(true);
      expect(bls.verify(made.randomReveal, revealMessage(input.number + 1n), publicKey)).toBe(false);
    },
  );
});

const empty: StateReader = { account: () => undefined, storage: () => EMPTY_BYTES, code: () => EMPTY_BYTES };

describe("the registry", () => {
  const genesis = JSON.parse(readFileSync(new URL("chains/forks/genesis.json", fixtures), "utf8"));
  const config = parseChainConfig(genesis.config);
  const headerAt = (number: bigint) => ({ number }) as Header;

  it("is installed in the fork block as by the reference node", () => {
    const packed = readFileSync(new URL("chains/forks/state.json.gz", fixtures));
    const { accounts } = JSON.parse(gunzipSync(packed).toString())["80"];
    const want = accounts[bytesToHex(REGISTRY)] ?? accounts[bytesToHex(REGISTRY).slice(2)];
    const state = createJournal(empty);
    registryInstallHooks(config).finalize?.({ header: headerAt(80n), gasUsed: 0n, totalFee: 0n }, state);
    expect(bytesToHex(state.code(REGISTRY)).slice(2)).toBe(want.code);
    expect(state.nonce(REGISTRY)).toBe(0n);
    for (const [slot, value] of Object.entries<string>(want.storage)) {
      const word = state.storage(REGISTRY, hexToBytes(`0x${slot}`));
      expect(bytesToHex(encodeItem(trimLeadingZeros(word))).slice(2)).toBe(value);
    }
    expect(state.changes().accounts[0]?.storage).toHaveLength(Object.keys(want.storage).length);
  });

  it("is installed in no other block", () => {
    const state = createJournal(empty);
    registryInstallHooks(config).finalize?.({ header: headerAt(79n), gasUsed: 0n, totalFee: 0n }, state);
    expect(state.changes().accounts).toEqual([]);
  });
});

describe("BLS keys of the registry", () => {
  const [CONTRACT, NODE, CHEAT] = [5, 6, 7].map((i) => new Uint8Array(20).fill(i)) as [
    Address,
    Address,
    Address,
  ];
  const publicKey = hexToBytes(vector.blsPublicKey);
  const proof = hexToBytes(vector.proofOfPossession);

  /** `bytes` after their length, padded to whole words. */
  const dynamic = (bytes: Uint8Array) => {
    const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32);
    padded.set(bytes);
    return concat(uintWord(BigInt(bytes.length)), padded);
  };
  const record = (key: Uint8Array, pop: Uint8Array) => {
    const first = dynamic(key);
    return concat(uintWord(64n), uintWord(64n + BigInt(first.length)), first, dynamic(pop));
  };
  const records = [
    record(publicKey, proof),
    record(
      publicKey,
      proof.map((byte) => byte ^ 1),
    ),
  ] as const;
  const nodes = concat(uintWord(2n), addressWord(NODE), addressWord(CHEAT));
  const infos = concat(uintWord(2n), uintWord(64n), uintWord(64n + BigInt(records[0].length)), ...records);
  const output = concat(uintWord(64n), uintWord(64n + BigInt(nodes.length)), nodes, infos);

  function keysOf(fork: number, registered = CONTRACT) {
    const calls: string[] = [];
    const call = (_state: unknown, _header: unknown, to: Address, input: Uint8Array) => {
      calls.push(bytesToHex(to));
      const lookup = callInput("getActiveAddr(string)", stringWords("KIP113"));
      if (bytesToHex(to) === bytesToHex(REGISTRY)) {
        return bytesToHex(input) === bytesToHex(lookup) ? addressWord(registered) : undefined;
      }
      return output;
    };
    const records = { KIP113: bytesToHex(CONTRACT) };
    const config = parseChainConfig({ randaoCompatibleBlock: fork, randaoRegistry: { records } });
    const state: StateReader = { ...empty, account: () => newContract() };
    const ancestry = { header: (number: bigint) => ({ number }) as Header, stateAt: () => state };
    return { calls, keys: new BlsKeys({ config, ancestry, contracts: { call, callWithin: call }, bls }) };
  }

  it("need a valid proof of possession", () => {
    const { keys } = keysOf(3);
    expect(keys.publicKey(NODE, 5n)).toEqual(publicKey);
    expect(() => keys.publicKey(CHEAT, 5n)).toThrowError("KIP113 PoP verification failed");
    expect(() => keys.publicKey(CONTRACT, 5n)).toThrowError("bls pubkey not found for the proposer");
  });

  it("are read again only after storage changes", () => {
    const { keys, calls } = keysOf(3);
    keys.all(5n);
    keys.all(6n);
    expect(calls.filter((to) => to === bytesToHex(CONTRACT))).toHaveLength(1);
  });

  it("come from the configured contract in the fork block", () => {
    const { keys, calls } = keysOf(3);
    keys.all(3n);
    expect(calls).toEqual([bytesToHex(CONTRACT)]);
  });

  it("are unknown when the contract is not registered", () => {
    const { keys } = keysOf(3, new Uint8Array(20));
    expect(() => keys.all(5n)).toThrowError("KIP113 contract not registered");
  });
});
