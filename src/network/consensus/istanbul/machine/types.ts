/** Stable identity of a participant: the address in hexadecimal, or an index in a simulation. */
export type Member = string;

/** A proposed block, as far as the machine knows it. */
export interface ProposalId {
  /** Hash of the block in hexadecimal, or a name in a simulation. */
  readonly digest: string;
  readonly number: number;
}

/** An attempt to agree on a block: `sequence` is the number of the block, and rounds count from 0. */
export interface Attempt {
  readonly sequence: number;
  readonly round: number;
}

/** The proposal of a view. */
export interface PreprepareMessage extends Attempt {
  readonly kind: "preprepare";
  readonly from: Member;
  readonly proposal: ProposalId;
}

/** A vote for a block. Received `commit` messages have a verified seal: others must not be passed in. */
export interface VoteMessage extends Attempt {
  readonly kind: "prepare" | "commit";
  readonly from: Member;
  readonly digest: string;
  /** In a `commit` of our own: the block that the reference puts its committed seal on; `digest`, except for an old block. */
  readonly sealed?: string | undefined;
}

/** A round change vote. */
export interface RoundChangeMessage extends Attempt {
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

/** The verdict on a proposal: `future` may become valid when its time has come, `unchecked` is not known yet. */
export type ProposalVerdict = "right" | "future" | "unchecked" | { readonly wrong: string };

/** Queries of the machine. They are answered synchronously. */
export interface MachineFacts {
  /** The committee of a view; asked for the sequence after the head, and for older ones if known. */
  committee(sequence: number, round: number): ViewCommittee | undefined;
  /** The result of verifying a proposal. */
  verdict(proposal: ProposalId): ProposalVerdict;
  /** Whether a block failed to execute, so that the lock on it is void. */
  isBad(digest: string): boolean;
  /** Whether a block is in the chain. */
  isOnChain(proposal: ProposalId): boolean;
  /** Whether an own vote is consistent with all earlier ones, including those before a restart. */
  mayVote(kind: MachineMessage["kind"], at: Attempt, digest: string): boolean;
}

/** Why a message or an own block was rejected, in the reference's words. */
export type Refusal = string;

/** Effects to carry out, in this order. */
export type Effect<Source> =
  /** Send an own message, after it has been written to disk. */
  | { readonly do: "send"; readonly message: MachineMessage }
  /** An accepted message of another validator, to be relayed. */
  | { readonly do: "relay"; readonly message: MachineMessage; readonly source: Source }
  /** Verify a proposal; its message is passed in again when the verdict is known. */
  | { readonly do: "verify"; readonly message: PreprepareMessage; readonly source: Source }
  /** A proposal from the future; its message is passed in again when its time has come. */
  | { readonly do: "wait"; readonly message: PreprepareMessage; readonly source: Source }
  /** A block is committed with the seals of these members, in order. */
  | ({ readonly do: "decide"; readonly proposal: ProposalId; readonly sealsOf: readonly Member[] } & Attempt)
  /** Restart the timer for a round; see `roundTimeoutMs`. */
  | ({ readonly do: "startTimer" } & Attempt);

/** Where a validator stopped, according to its journal. */
export interface ResumePoint extends Attempt {
  /** The block that it committed to. */
  readonly lock: ProposalId | undefined;
}

/** The phase of agreement on a block. */
export type Phase = "acceptRequest" | "preprepared" | "prepared" | "committed";
