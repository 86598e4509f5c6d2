import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

it.each([
  ["eht", ["txpool", "eth", "evm"], "eth"],
  ["blockNumbr", ["blockNumber", "blobBaseFee"], "blockNumber"],
  ["ETH_CHAINID", ["eth_call", "eth_chainId"], "eth_chainId"],
  ["eth_estimateGsa", ["eth_estimateGas"], "eth_estimateGas"],
  ["to", ["v", "gas", "hash"], undefined],
  ["abc", ["cab", "xyz"], undefined],
] as const)("%s suggests, among %j, %s", (text, names, meant) => {
  expect(nearest(text, names)).toBe(meant);
});
