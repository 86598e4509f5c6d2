/** Who takes part, by a name that stays the same: the address in hexadecimal, or a place in a simulation. */
export type Member = string;

/** A block that was proposed; the machine knows no more of it. */
export interface ProposalId {
  /** Hash of the block in hexadecimal, or a name in a simulation. */
  readonly digest: string;
  readonly number: number;
}

/** A try to agree on a block: `sequence` is the number of the block, and rounds count from 0. */
export interface Attempt {
  readonly sequence: number;
  readonly round: number;
}

/** The proposer of a view names its block. */
export interface PreprepareMessage extends Attempt {
  readonly kind: "preprepare";
  readonly from: Member;
  readonly proposal: ProposalId;
}

/** A vote for a block. The seal of a `commit` that is received was checked: one with a wrong seal is not handed in. */
export interface VoteMessage extends Attempt {
  readonly kind: "prepare" | "commit";
  readonly from: Member;
  readonly digest: string;
  /** In a `commit` of our own: the block that the reference puts its committed seal on; `digest`, except for an old block. */
  readonly sealed?: string | undefined;
}

/** A vote for another round. */
export interface RoundChangeMessage extends Attempt {
  readonly kind: "roundChange";
  readonly from: Member;
}

/** What validators say to one another. */
export type MachineMessage = PreprepareMessage | VoteMessage | RoundChangeMessage;

/** Who decides in one view. */
export interface ViewCommittee {
  readonly proposer: Member;
  readonly members: ReadonlySet<Member>;
  /** Votes that decide. */
  readonly quorum: number;
  /** Members that may be faulty. */
  readonly faults: number;
}

/** What is thought of a proposal: `future` may be right when its time has come, `unchecked` is not known yet. */
export type ProposalVerdict = "right" | "future" | "unchecked" | { readonly wrong: string };

/** What the machine asks of the world. Answers are plain facts: nothing is waited for. */
export interface MachineFacts {
  /** Who decides in a view; asked for the sequence after the head, and for older ones as far as they are known. */
  committee(sequence: number, round: number): ViewCommittee | undefined;
  /** What the check of a proposal gave. */
  verdict(proposal: ProposalId): ProposalVerdict;
  /** Whether a block failed when it was executed, so that nobody stays locked on it. */
  isBad(digest: string): boolean;
  /** Whether a block is in the chain. */
  isOnChain(proposal: ProposalId): boolean;
  /** Whether a vote of our own contradicts none that was given before, in this life of the process or in an earlier one. */
  mayVote(kind: MachineMessage["kind"], at: Attempt, digest: string): boolean;
}

/** Why a message or a block to propose was not taken, in the reference's words. */
export type Refusal = string;

/** What has to be done, in this order. */
export type Effect<Source> =
  /** A message of our own: it is on disk before it leaves. */
  | { readonly do: "send"; readonly message: MachineMessage }
  /** A message of another validator that was accepted. */
  | { readonly do: "relay"; readonly message: MachineMessage; readonly source: Source }
  /** A proposal whose check is asked for; the message is handed in again when the verdict is known. */
  | { readonly do: "verify"; readonly message: PreprepareMessage; readonly source: Source }
  /** A proposal whose time has not come; the message is handed in again then. */
  | { readonly do: "wait"; readonly message: PreprepareMessage; readonly source: Source }
  /** A block is decided; the seals of these members, in their order, go into it. */
  | ({ readonly do: "decide"; readonly proposal: ProposalId; readonly sealsOf: readonly Member[] } & Attempt)
  /** The timer starts anew for a round; see `roundTimeoutMs`. */
  | ({ readonly do: "startTimer" } & Attempt);

/** Where a validator stopped, as its journal has it. */
export interface ResumePoint extends Attempt {
  /** The block that it committed to. */
  readonly lock: ProposalId | undefined;
}

/** How far the agreement on a block is. */
export type Phase = "acceptRequest" | "preprepared" | "prepared" | "committed";
