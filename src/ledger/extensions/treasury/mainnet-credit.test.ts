import { expect, it } from "vitest";
import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { MAINNET_CREDIT } from "../contracts/addresses.ts";
import { mainnetCreditHooks } from "./mainnet-credit.ts";

const KAIA = 162_900_480n;
const withCredit = {
  exists: (address) => bytesToHex(address) === bytesToHex(MAINNET_CREDIT),
} as StateJournal;
const without = { exists: () => false } as unknown as StateJournal;

function finalize(chainId: bigint, number: bigint, state: StateJournal): void {
  const config = { chainId, forks: { kaia: KAIA } } as unknown as ChainConfig;
  mainnetCreditHooks(config).finalize?.({ header: { number } as Header, gasUsed: 0n, totalFee: 0n }, state);
}

it("stops before the mainnet block that installs unavailable code, naming block and hash", () => {
  expect(() => finalize(8217n, KAIA - 1n, withCredit)).toThrow(
    /^block 162900479 replaces the code .* does not have \(hash 0xb45837df.*\): the chain ends at block 162900478$/,
  );
});

it("does not affect other blocks, chains and states", () => {
  finalize(8217n, KAIA - 2n, withCredit);
  finalize(8217n, KAIA, withCredit);
  finalize(1001n, KAIA - 1n, withCredit);
  finalize(8217n, KAIA - 1n, without);
});
