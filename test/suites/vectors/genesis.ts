import { readFileSync } from "node:fs";
import { readGenesis } from "../../../src/ledger/chain/genesis/genesis.ts";
import { genesisHeader } from "../../../src/ledger/chain/genesis/genesis-header.ts";
import { networkGenesis } from "../../../src/ledger/chain/genesis/genesis-presets.ts";
import { genesisChanges } from "../../../src/ledger/chain/genesis/genesis-state.ts";
import { blockHash } from "../../../src/protocol/block/hash.ts";
import { encodeHeader } from "../../../src/protocol/block/header-codec.ts";
import { bytesToHex as hex } from "../../../src/protocol/primitives/hex.ts";
import { MapState } from "./map-state.ts";
import { casesOf, same, type VectorCheck } from "./vector-case.ts";

/** genesis.json: custom genesis files. */
export const genesis = casesOf((vector) => {
  const parsed = readGenesis(vector.genesis);
  const state = new MapState();
  state.apply(genesisChanges(parsed));
  const header = genesisHeader(parsed, state.root());
  same(hex(header.stateRoot), vector.stateRoot, "stateRoot");
  same(hex(encodeHeader(header)), vector.headerRlp, "headerRlp");
  same(hex(blockHash(header)), vector.hash, "hash");
});

/** genesis/mainnet.expected.json and genesis/kairos.expected.json: the public networks, from the built-in files. */
export const networkGenesisOf =
  (network: "mainnet" | "kairos"): VectorCheck =>
  // biome-ignore lint/suspicious/noExplicitAny: published JSON
  (expected: any) => [
    {
      name: network,
      run() {
        const parsed = networkGenesis(network, readFileSync);
        const state = new MapState();
        state.apply(genesisChanges(parsed));
        const header = genesisHeader(parsed, state.root());
        same(hex(encodeHeader(header)), expected.headerRlp, "headerRlp");
        same(hex(blockHash(header)), expected.hash, "hash");
      },
    },
  ];
