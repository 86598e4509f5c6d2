import { ChainError } from "../../../../ledger/chain/errors.ts";
import { ExecutionError } from "../../../../ledger/execution/errors.ts";
import { ExtensionError } from "../../../../ledger/extensions/errors.ts";
import { TransactionPoolError } from "../../../../ledger/txpool/errors.ts";
import type { Logger } from "../../../../platform/telemetry/logger.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import { BlockError } from "../../../../protocol/block/errors.ts";
import { RlpError } from "../../../../protocol/codec/rlp/item.ts";
import { equalBytes } from "../../../../protocol/primitives/bytes.ts";
import type { NodeError } from "../../../../protocol/primitives/errors.ts";
import { TransactionError } from "../../../../protocol/transaction/errors.ts";
import type { BlockProducer } from "../../block-producer.ts";
import { ConsensusError } from "../../errors.ts";
import { ALLOWED_FUTURE_MS } from "../header-rules.ts";
import type { IstanbulRules } from "../istanbul-rules.ts";
import type { Proposal, ProposalFinding } from "./proposals.ts";

/** As long as the first round: a block that takes longer has missed its round. */
const CHECK_LIMIT_MS = 10_000;

/** Dependencies of the checker. */
export interface CheckerParts {
  readonly rules: IstanbulRules;
  readonly producer: BlockProducer;
  readonly logger: Logger;
}

/**
 * Fully verifies proposals, including execution and roots, before this validator votes for them. The reference votes for blocks that it
 * has not executed.
 */
export class ProposalChecker {
  readonly #parts: CheckerParts;

  constructor(parts: CheckerParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with the verdict on a block as far as it is known now; checks of one proposal do not overlap. The hash of a block covers its
   * header only, and a sender may attach other transactions: an earlier block with the same hash proves nothing about this one.
   */
  async check(proposal: Proposal, block: Block = proposal.block): Promise<ProposalFinding> {
    while (proposal.check !== undefined && proposal.block !== block) await proposal.check;
    const { finding } = proposal;
    if (finding.is === "valid" || finding.is === "invalid") return finding;
    proposal.block = block;
    proposal.check ??= this.#find(proposal).then((found) => {
      if (found.is !== "bodyMismatch") proposal.finding = found;
      proposal.check = undefined;
      return found;
    });
    return proposal.check;
  }

  async #find({ block, id }: Proposal): Promise<ProposalFinding> {
    const { rules, producer, logger } = this.#parts;
    const { header } = block;
    const { tip } = producer;
    if (header.number !== tip.header.number + 1n) return { is: "unchecked" };
    if (!equalBytes(header.parentHash, tip.hash)) return { is: "invalid", reason: "unknown ancestor" };
    try {
      rules.verifyProposal(header, tip.header);
      const candidate = await producer.check(block, CHECK_LIMIT_MS);
      if (candidate !== undefined) return { is: "valid", candidate };
      const { number } = id;
      if (producer.tip.hash === tip.hash) logger.warn("a proposal took too long to execute", { number });
      return { is: "unchecked" };
    } catch (error) {
      if (!isRuleViolation(error)) {
        logger.error("a proposal could not be checked", { number: id.number, error });
        return { is: "unchecked" };
      }
      if (error.code === "FUTURE_BLOCK")
        return { is: "future", fromMs: Number(header.time) * 1_000 - ALLOWED_FUTURE_MS };
      return { is: isAboutBody(error) ? "bodyMismatch" : "invalid", reason: error.message.slice(0, 200) };
    }
  }
}

/** Whether an error is a fault of the block. Failures of this node are not: they must not void a lock on the block. */
function isRuleViolation(error: unknown): error is NodeError<string> {
  if (error instanceof ChainError) return error.code === "BAD_BLOCK";
  if (error instanceof ExtensionError) return !LOCAL_FAILURES.has(error.code);
  if (error instanceof TransactionPoolError) return INVALID_BLOBS.has(error.code);
  return RULE_ERRORS.some((type) => error instanceof type);
}

const RULE_ERRORS = [ConsensusError, ExecutionError, TransactionError, BlockError, RlpError];
const INVALID_BLOBS: ReadonlySet<string> = new Set(["INVALID_BLOB", "WRONG_SIDECAR"]);
const LOCAL_FAILURES: ReadonlySet<string> = new Set(["HISTORY_MISSING", "CODE_UNKNOWN", "SUPPLY_UNKNOWN"]);
/** Error fields about the body, which the hash of a block does not cover directly. */
const BODY_FIELDS: ReadonlySet<unknown> = new Set(["size", "transactionsRoot"]);

function isAboutBody(error: NodeError<string>): boolean {
  return error instanceof TransactionPoolError || BODY_FIELDS.has(error.details["field"]);
}
