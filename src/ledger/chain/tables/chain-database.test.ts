import { beforeEach, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import type { StateStore } from "../../state/state.ts";
import { type Genesis, readGenesis } from "../genesis/genesis.ts";
import { genesisSupply, prepareDatabase, readStoredChain } from "./chain-database.ts";

const ADDRESSES = [1, 2].map((n) => bytesToHex(new Uint8Array(20).fill(n)));
function genesisOf(forks: object = {}): Genesis {
  const alloc = Object.fromEntries(
    ADDRESSES.map((address, i) => [address, { balance: `${10n ** 27n + BigInt(i)}` }]),
  );
  return readGenesis({ config: { chainId: 7, unitPrice: 25_000_000_000, ...forks }, alloc });
}

let store: StateStore;
beforeEach(async () => {
  store = await createStateStore({ engine: "memory" });
});

describe("a database prepared for a chain", () => {
  it("has the genesis, which another start needs not give", async () => {
    const missing = expect.objectContaining({ code: "GENESIS_MISSING" });
    expect(() => readStoredChain(store)).toThrow(missing);
    await expect(prepareDatabase(store)).rejects.toEqual(missing);
    const { genesisHash, config } = await prepareDatabase(store, genesisOf());
    expect(store.head).toMatchObject({ number: 0n, hash: genesisHash });
    expect(config.chainId).toBe(7n);
    for (const again of [
      await prepareDatabase(store),
      await prepareDatabase(store, genesisOf()),
      readStoredChain(store),
    ]) {
      expect(again.genesisHash).toEqual(genesisHash);
      expect(again.config.json).toEqual(config.json);
    }
  });

  it("takes over forks that have moved, and refuses another genesis", async () => {
    await prepareDatabase(store, genesisOf({ istanbulCompatibleBlock: 5 }));
    const moved = await prepareDatabase(store, genesisOf({ istanbulCompatibleBlock: 7 }));
    expect(moved.config.forks.istanbul).toBe(7n);
    expect(readStoredChain(store).config.forks.istanbul).toBe(7n);
    const other = { ...genesisOf(), timestamp: 1n };
    await expect(prepareDatabase(store, other)).rejects.toMatchObject({ code: "GENESIS_MISMATCH" });
  });
});

describe("the total balance of a genesis", () => {
  const TOTAL = 2n * 10n ** 27n + 1n;

  it("is recorded", async () => {
    await prepareDatabase(store, genesisOf());
    const past = { get: store.get.bind(store), at: () => expect.unreachable("the state is read") };
    expect(genesisSupply(past)).toBe(TOTAL);
  });

  it("is added up from the state, if that is kept, in a database that an older version has written", async () => {
    await prepareDatabase(store, genesisOf());
    const get = () => undefined;
    expect(genesisSupply({ get, at: (number) => (number === 0n ? store.at(0n) : undefined) })).toBe(TOTAL);
    expect(genesisSupply({ get, at: () => undefined })).toBeUndefined();
  });
});
