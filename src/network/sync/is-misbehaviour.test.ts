import { expect, it } from "vitest";
import { ChainError } from "../../ledger/chain/errors.ts";
import { RlpError } from "../../protocol/codec/rlp/item.ts";
import { ConsensusError } from "../consensus/errors.ts";
import { PeerError } from "../p2p/errors.ts";
import { isDecidedBlock, isMisbehaviour } from "./is-misbehaviour.ts";

it.each([
  ["a message against the protocol", new PeerError("MESSAGE", ""), true],
  ["RLP that cannot be read", new RlpError("RLP_SHAPE", ""), true],
  ["a block against the rules", new ChainError("BAD_BLOCK", ""), true],
  ["a header without a right", new ConsensusError("UNAUTHORIZED", ""), true],
  ["silence", new PeerError("MESSAGE", "", { isInnocent: true }), false],
  ["a block whose time has not come", new ConsensusError("FUTURE_BLOCK", ""), false],
  ["a block that others have overtaken", new ChainError("UNKNOWN_ANCESTOR", ""), false],
  ["a chain that closes", new ChainError("CLOSED", ""), false],
  ["a disk that is full", new Error("ENOSPC"), false],
])("whether %s is a peer's lie", (_what, error, expected) => {
  expect(isMisbehaviour(error)).toBe(expected);
});

it("tells blocks that validators have decided from forged ones", () => {
  const decided = new ChainError("BAD_BLOCK", "", { isDecided: true });
  expect([decided, new ChainError("BAD_BLOCK", ""), new Error("ENOSPC")].map(isDecidedBlock)).toEqual([
    ...[true, false, false],
  ]);
});
