import type { Clock } from "../../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../../platform/telemetry/logger.ts";
import { equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import type { BlockProducer } from "../../block-producer.ts";
import { ALLOWED_FUTURE_MS } from "../header-rules.ts";
import type { IstanbulRules } from "../istanbul-rules.ts";
import type { Finding, Proposal } from "./proposals.ts";

/** What proposals are checked with. */
export interface CheckerParts {
  readonly rules: IstanbulRules;
  readonly producer: BlockProducer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Checks proposals by every rule, execution and roots included, before anything is said for them. The reference votes for
 * what it has not executed.
 */
export class ProposalChecker {
  readonly #parts: CheckerParts;

  constructor(parts: CheckerParts) {
    this.#parts = parts;
  }

  /** Resolves once the proposal's finding is as good as it can be now; one check of a block at a time. */
  check(proposal: Proposal): Promise<void> {
    proposal.check ??= this.#find(proposal).then((finding) => {
      proposal.finding = finding;
      proposal.check = undefined;
    });
    return proposal.check;
  }

  async #find({ block, id }: Proposal): Promise<Finding> {
    const { rules, producer, clock, logger } = this.#parts;
    const { header } = block;
    const { tip } = producer;
    if (header.number !== tip.header.number + 1n) return { is: "unchecked" };
    if (!equalBytes(header.parentHash, tip.hash)) return { is: "wrong", reason: "unknown ancestor" };
    try {
      rules.verifyProposal(header, tip.header);
      const candidate = await producer.check(block);
      return candidate === undefined ? { is: "unchecked" } : { is: "right", candidate };
    } catch (error) {
      if (!(error instanceof NodeError) || error.code === "CLOSED") {
        logger.error("a proposal could not be checked", { number: id.number, error });
        return { is: "unchecked" };
      }
      const dueMs = Number(header.time) * 1_000 - ALLOWED_FUTURE_MS;
      if (error.code === "FUTURE_BLOCK" && dueMs > clock.now()) return { is: "future", fromMs: dueMs };
      return { is: "wrong", reason: error.message.slice(0, 200) };
    }
  }
}
