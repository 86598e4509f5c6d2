import type { Clock } from "../../../../platform/runtime/runtime.ts";
import { ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import type { VoteJournal } from "../journal/vote-journal.ts";
import type { MachineFacts, ProposalVerdict } from "../machine/types.ts";
import type { Proposals } from "./proposals.ts";
import type { ViewCommittees } from "./view-committees.ts";

/** Passed to the machine instead of the hash of a block whose body does not match its header. */
export const BODY_MISMATCH = "bodyMismatch";

/** Sources of the machine's facts. */
export interface FactSources {
  readonly committees: ViewCommittees;
  readonly journal: VoteJournal;
  readonly producer: BlockProducer;
  readonly proposals: Proposals;
  readonly clock: Clock;
}

/** Answers the machine's queries from the chain, the checked proposals and the journal of this validator's votes. */
export function machineFacts({ committees, journal, producer, proposals, clock }: FactSources): MachineFacts {
  return {
    committee: (sequence, round) => committees.of(sequence, round),
    verdict: ({ digest }) => verdictOf(proposals, digest, clock.now()),
    isBad: (digest) => proposals.get(digest)?.finding.is === "invalid",
    isOnChain: ({ digest, number }) => {
      const hash = producer.hashOf(BigInt(number));
      return hash !== undefined && bytesToHex(hash) === digest;
    },
    mayVote: (kind, { sequence, round }, digest) =>
      journal.allows({
        ...{ kind, round, sequence: BigInt(sequence) },
        digest: digest === "" ? ZERO_HASH : hexToBytes(digest),
      }),
  };
}

function verdictOf(proposals: Proposals, digest: string, nowMs: number): ProposalVerdict {
  if (digest === BODY_MISMATCH) return { invalid: "the transactions do not match the header" };
  const finding = proposals.get(digest)?.finding ?? { is: "unchecked" };
  if ("reason" in finding) return { invalid: finding.reason };
  if (finding.is !== "future") return finding.is;
  return finding.fromMs > nowMs ? "future" : "unchecked";
}
