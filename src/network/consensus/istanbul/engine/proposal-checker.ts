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

/** As long as the first round: a block that takes longer has lost its round. */
const CHECK_LIMIT_MS = 10_000;

/** Dependencies of the checker. */
export interface CheckerParts {
  readonly rules: IstanbulRules;
  readonly producer: BlockProducer;
  readonly logger: Logger;
}

/**
 * Checks proposals by every rule, including execution and roots, before this validator votes for them. The reference votes for
 * blocks it has not executed.
 */
export class ProposalChecker {
  readonly #parts: CheckerParts;

  constructor(parts: CheckerParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with the verdict on a block, as far as it can be known now; a proposal is checked once at a time. A header commits to
   * its transactions, yet a sender may attach others: an earlier message with the same hash proves nothing about this one.
   */
  async check(proposal: Proposal, block: Block = proposal.block): Promise<ProposalFinding> {
    while (proposal.check !== undefined && proposal.block !== block) await proposal.check;
    const { finding } = proposal;
    if (finding.is === "right" || finding.is === "wrong") return finding;
    proposal.block = block;
    proposal.check ??= this.#find(proposal).then((found) => {
      if (found.is !== "mangled") proposal.finding = found;
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
    if (!equalBytes(header.parentHash, tip.hash)) return { is: "wrong", reason: "unknown ancestor" };
    try {
      rules.verifyProposal(header, tip.header);
      const candidate = await producer.check(block, CHECK_LIMIT_MS);
      if (candidate !== undefined) return { is: "right", candidate };
      const { number } = id;
      if (producer.tip.hash === tip.hash) logger.warn("a proposal took too long to execute", { number });
      return { is: "unchecked" };
    } catch (error) {
      if (!breaksRule(error)) {
        logger.error("a proposal could not be checked", { number: id.number, error });
        return { is: "unchecked" };
      }
      if (error.code === "FUTURE_BLOCK")
        return { is: "future", fromMs: Number(header.time) * 1_000 - ALLOWED_FUTURE_MS };
      return { is: isOfBody(error) ? "mangled" : "wrong", reason: error.message.slice(0, 200) };
    }
  }
}

/** Failures of this node say nothing about a block: blaming the block would void the lock on it. */
function breaksRule(error: unknown): error is NodeError<string> {
  if (error instanceof ChainError) return error.code === "BAD_BLOCK";
  if (error instanceof ExtensionError) return !OWN_LACKS.has(error.code);
  if (error instanceof TransactionPoolError) return WRONG_BLOBS.has(error.code);
  return RULES.some((type) => error instanceof type);
}

const RULES = [ConsensusError, ExecutionError, TransactionError, BlockError, RlpError];
const WRONG_BLOBS: ReadonlySet<string> = new Set(["INVALID_BLOB", "WRONG_SIDECAR"]);
const OWN_LACKS: ReadonlySet<string> = new Set(["HISTORY_MISSING", "CODE_UNKNOWN", "SUPPLY_UNKNOWN"]);
/** Fields of errors about content that the hash of a block does not cover by itself. */
const OF_BODY: ReadonlySet<unknown> = new Set(["size", "transactionsRoot"]);

function isOfBody(error: NodeError<string>): boolean {
  return error instanceof TransactionPoolError || OF_BODY.has(error.details["field"]);
}
