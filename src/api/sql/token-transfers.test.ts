import { expect, it } from "vitest";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { tokenTransfers } from "./token-transfers.ts";

const topic = (text: string) => keccak256(new TextEncoder().encode(text));
const word = (n: number) => hexToBytes(`0x${n.toString(16).padStart(64, "0")}`);
const words = (...list: number[]) => new Uint8Array(list.flatMap((n) => [...word(n)]));
const TRANSFER = topic("Transfer(address,address,uint256)");
const SINGLE = topic("TransferSingle(address,address,address,uint256,uint256)");
const BATCH = topic("TransferBatch(address,address,address,uint256[],uint256[])");
const transfers = (topics: Uint8Array[], data: Uint8Array) =>
  Array.from(
    tokenTransfers({ address: new Uint8Array(20), topics, data }),
    ({ sender, recipient, ...rest }) => ({
      ...{ from: Number(bytesToHex(sender)), to: Number(bytesToHex(recipient)) },
      ...rest,
    }),
  );

it("reads the transfers of each standard", () => {
  const between = { from: 1, to: 2 };
  expect(transfers([TRANSFER, word(1), word(2)], words(7))).toEqual([
    { ...between, kind: "fungible", amount: 7n },
  ]);
  expect(transfers([TRANSFER, word(1), word(2), word(9)], words())).toEqual([
    { ...between, kind: "unique", tokenId: 9n, amount: 1n },
  ]);
  expect(transfers([SINGLE, word(5), word(1), word(2)], words(9, 7))).toEqual([
    { ...between, kind: "multi", tokenId: 9n, amount: 7n },
  ]);
  expect(transfers([BATCH, word(5), word(1), word(2)], words(64, 160, 2, 8, 9, 2, 3, 4))).toEqual([
    { ...between, kind: "multi", tokenId: 8n, amount: 3n },
    { ...between, kind: "multi", tokenId: 9n, amount: 4n },
  ]);
});

it.each([
  ["no topics", [], words(1)],
  ["another event", [word(1), word(1), word(2)], words(7)],
  ["too little data", [TRANSFER, word(1), word(2)], words()],
  ["too much data", [TRANSFER, word(1), word(2), word(9)], words(1)],
  ["a list that starts beyond the data", [BATCH, word(5), word(1), word(2)], words(6400, 160, 2)],
  ["a list that is longer than the data", [BATCH, word(5), word(1), word(2)], words(64, 64, 1e15)],
  ["lists of two lengths", [BATCH, word(5), word(1), word(2)], words(64, 128, 1, 8, 2, 3, 4)],
])("ignores a log with %s", (_, topics, data) => {
  expect(transfers(topics, data)).toEqual([]);
});
