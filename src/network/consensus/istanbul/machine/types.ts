/** Identity of a validator: its address in hexadecimal, or an index in a simulation. */
export type Member = string;

/** Identity of a proposed block. */
export interface ProposalId {
  /** Hash of the block in hexadecimal, or a name in a simulation. */
  readonly digest: string;
  readonly number: number;
}

/** A view: `sequence` is the block number, and rounds count from 0. */
export interface ViewId {
  readonly sequence: number;
  readonly round: number;
}

/** The proposal of a view. */
export interface PreprepareMessage extends ViewId {
  readonly kind: "preprepare";
  readonly from: Member;
  readonly proposal: ProposalId;
}

/** A vote for a block. The seal of a received `commit` must have been verified. */
export interface VoteMessage extends ViewId {
  readonly kind: "prepare" | "commit";
  readonly from: Member;
  readonly digest: string;
  /** In an own `commit`: the block that the reference seals; `digest`, except for an old block. */
  readonly sealed?: string | undefined;
}

/** A round change vote. */
export interface RoundChangeMessage extends ViewId {
  readonly kind: "roundChange";
  readonly from: Member;
}

/** A message between validators. */
export type MachineMessage = PreprepareMessage | VoteMessage | RoundChangeMessage;

/** The committee of one view. */
export interface ViewCommittee {
  readonly proposer: Member;
  readonly members: ReadonlySet<Member>;
  /** Size of a quorum. */
  readonly quorum: number;
  /** Number of faulty members tolerated. */
  readonly faults: number;
}

/** The verdict on a proposal: `future` = may become valid later, `unchecked` = not known yet. */
export type ProposalVerdict = "valid" | "future" | "unchecked" | { readonly invalid: string };

/** Synchronous queries of the machine. */
export interface MachineFacts {
  /** The committee of a view; must be known for the sequence after the head, and may be for older ones. */
  committee(sequence: number, round: number): ViewCommittee | undefined;
  /** The result of verifying a proposal. */
  verdict(proposal: ProposalId): ProposalVerdict;
  /** Whether a block failed to execute, so that the lock on it is void. */
  isBad(digest: string): boolean;
  /** Whether a block is in the chain. */
  isOnChain(proposal: ProposalId): boolean;
  /** Whether an own vote contradicts no earlier one, including those before a restart. */
  mayVote(kind: MachineMessage["kind"], at: ViewId, digest: string): boolean;
}

/** Why a message or an own block was rejected; the text is the reference's. */
export type Refusal = string;

/** Effects to be executed in order. */
export type Effect<Source> =
  /** Send an own message, after it has been written to disk. */
  | { readonly do: "send"; readonly message: MachineMessage }
  /** An accepted message of another validator, to be relayed. */
  | { readonly do: "relay"; readonly message: MachineMessage; readonly source: Source }
  /** Verify a proposal; pass its message in again once the verdict is known. */
  | { readonly do: "verify"; readonly message: PreprepareMessage; readonly source: Source }
  /** A future proposal; pass its message in again when it is due. */
  | { readonly do: "wait"; readonly message: PreprepareMessage; readonly source: Source }
  /** Insert a decided block with the seals of these members, in order. */
  | ({ readonly do: "decide"; readonly proposal: ProposalId; readonly sealsOf: readonly Member[] } & ViewId)
  /** Restart the timer for a round; see `roundTimeoutMs`. */
  | ({ readonly do: "startTimer" } & ViewId);

/** Where a validator stopped, according to its journal. */
export interface ResumePoint extends ViewId {
  /** The block that it was locked on. */
  readonly lock: ProposalId | undefined;
}

/** The phase of agreement on a block. */
export type Phase = "acceptRequest" | "preprepared" | "prepared" | "committed";
