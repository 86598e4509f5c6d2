import { expect, it } from "vitest";
import { ChainError } from "../../../../ledger/chain/errors.ts";
import type { CandidateBlock } from "../../../../ledger/chain/execute/candidate-block.ts";
import { DatabaseError } from "../../../../ledger/database/errors.ts";
import { ExtensionError } from "../../../../ledger/extensions/errors.ts";
import { TransactionPoolError } from "../../../../ledger/txpool/errors.ts";
import { silentLogger } from "../../../../platform/telemetry/logger.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import { ConsensusError } from "../../errors.ts";
import { recordedBlocks } from "../../testing/recorded-chain.ts";
import { type CheckerParts, ProposalChecker } from "./proposal-checker.ts";
import type { Proposal } from "./proposals.ts";

const [first, second] = recordedBlocks("bft4") as unknown as [Block, Block];

/** A checker of blocks that follow the first one, and the second one as a proposal. */
function checkerWith(check: (block: Block) => Promise<CandidateBlock | undefined>) {
  const tip = { header: first.header, hash: second.header.parentHash };
  const checker = new ProposalChecker({
    rules: { verifyProposal() {} } as unknown as CheckerParts["rules"],
    producer: { tip, check } as unknown as CheckerParts["producer"],
    logger: silentLogger,
  });
  const proposal: Proposal = {
    ...{ id: { digest: "0x00", number: 2 }, block: second },
    ...{ finding: { is: "unchecked" }, check: undefined },
  };
  return { checker, proposal };
}

const badBlock = (field: string) => new ChainError("BAD_BLOCK", "bad", { field });

it.each<[string, string, unknown]>([
  ["invalid", "root of the state", badBlock("stateRoot")],
  ["invalid", "vote", new ExtensionError("GOVERNANCE_VOTE", "bad")],
  ["invalid", "header", new ConsensusError("HEADER_RANDAO", "bad")],
  ["future", "time", new ConsensusError("FUTURE_BLOCK", "early")],
  ["bodyMismatch", "list of transactions", badBlock("transactionsRoot")],
  ["bodyMismatch", "size", badBlock("size")],
  ["bodyMismatch", "sidecar", new TransactionPoolError("INVALID_BLOB", "bad")],
  ["bodyMismatch", "proof", new TransactionPoolError("WRONG_SIDECAR", "bad")],
  ["unchecked", "disk", new DatabaseError("DATABASE_FAILED", "no space")],
  ["unchecked", "missing state", new ExtensionError("HISTORY_MISSING", "pruned")],
  ["unchecked", "missing verifier", new TransactionPoolError("BLOB_UNVERIFIED", "no verifier")],
  ["unchecked", "program", new TypeError("no function")],
])("finds a proposal %s for its %s", async (is, _, error) => {
  const { checker, proposal } = checkerWith(() => Promise.reject(error));
  expect((await checker.check(proposal)).is).toBe(is);
  expect(proposal.finding.is).toBe(is === "bodyMismatch" ? "unchecked" : is);
});

it("checks a block with the hash of one with a mismatched body, also while that is being checked", async () => {
  const candidate = {} as CandidateBlock;
  const { checker, proposal } = checkerWith((block) =>
    block === second ? Promise.resolve(candidate) : Promise.reject(badBlock("transactionsRoot")),
  );
  const mangled = { ...second };
  const findings = await Promise.all([checker.check(proposal, mangled), checker.check(proposal, second)]);
  expect(findings.map(({ is }) => is)).toEqual(["bodyMismatch", "valid"]);
  expect(proposal.block).toBe(second);
  expect((await checker.check(proposal, mangled)).is).toBe("valid");
});

it("does not call a block invalid that takes too long, or that the chain has passed", async () => {
  const { checker, proposal } = checkerWith(async () => undefined);
  expect((await checker.check(proposal)).is).toBe("unchecked");
});
