import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newContract, newEoa } from "../../protocol/account/account.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { leftPad, trimLeadingZeros, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { createStateStore } from "./create-state-store.ts";
import type { AccountChange, StateChanges } from "./state.ts";

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/fixtures/vectors/${name}`, import.meta.url), "utf8"));

async function rootOf(changes: StateChanges): Promise<string> {
  const store = await createStateStore({ engine: "memory" });
  return bytesToHex(store.stage(changes).root);
}

describe("state roots of the reference node v2.2.1", () => {
  interface RootCase {
    readonly name: string;
    readonly stateRoot: string;
    readonly accounts: Readonly<Record<string, { balance: string; nonce: number }>>;
  }

  it.each<RootCase>(fixture("state-root.json").cases)("$name", async ({ accounts, stateRoot }) => {
    const changes = Object.entries(accounts).map(([address, { balance, nonce }]) => ({
      address: hexToBytes(address),
      account: { ...newEoa(BigInt(balance)), nonce: BigInt(nonce) },
      storageCleared: false,
      storage: [],
    }));
    expect(await rootOf({ accounts: changes, codes: [] })).toBe(stateRoot);
  });

  interface GenesisCase {
    readonly name: string;
    readonly stateRoot: string;
    readonly genesis: {
      readonly alloc: Readonly<
        Record<string, { balance: string; nonce?: string; code?: string; storage?: Record<string, string> }>
      >;
    };
  }

  it.each<GenesisCase>(fixture("genesis.json").cases)("$name", async ({ genesis, stateRoot }) => {
    const codes: { hash: Uint8Array; code: Uint8Array }[] = [];
    const accounts = Object.entries(genesis.alloc).map(
      ([address, { balance, nonce, code, storage }]): AccountChange => {
        const bytes = hexToBytes(code ?? "0x");
        const codeHash = keccak256(bytes);
        if (code) codes.push({ hash: codeHash, code: bytes });
        const born = code?.startsWith("0xef0100") ? newEoa(BigInt(balance)) : newContract(BigInt(balance));
        const program = code ? { ...born, codeHash, codeInfo: 0x10 } : newEoa(BigInt(balance));
        const slots = Object.entries(storage ?? {}).map(([slot, value]) => ({
          slot: leftPad(hexToBytes(slot), 32),
          value: trimLeadingZeros(hexToBytes(value)),
        }));
        const account = { ...program, nonce: BigInt(nonce ?? 0) };
        return { address: hexToBytes(`0x${address}`), account, storageCleared: false, storage: slots };
      },
    );
    expect(await rootOf({ accounts, codes })).toBe(stateRoot);
  });

  it("verifies an empty state", async () => {
    const store = await createStateStore({ engine: "memory" });
    expect(store.head).toBeUndefined();
    store.stage({ accounts: [], codes: [] }).commit({ number: 0n, hash: ZERO_HASH }, []);
    expect(store.verify()).toEqual({ accounts: 0, slots: 0, nodes: 0, codes: 0 });
  });
});
