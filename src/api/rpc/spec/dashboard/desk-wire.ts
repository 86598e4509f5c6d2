import type { SignerReport } from "./wire.ts";

/** A transaction that is in no block yet. */
export interface DraftReport {
  readonly raw: string;
  readonly hash: string;
  /** Without the prefix `TxType`. */
  readonly type: string;
  /** Of what the sender signs; the same for all copies of one transaction, with whatever signatures. */
  readonly signedHash: string;
  readonly from: string;
  readonly to: string | null;
  /** kei, decimal. */
  readonly value: string;
  readonly nonce: number;
  /** Next nonce of this sender on the chain. */
  readonly nextNonce: number;
  readonly gas: string;
  readonly gasPrice: string;
  /** Percent that the fee payer pays; null where the sender pays alone. */
  readonly feeRatio: number | null;
  /** Function and contract, where artifacts are known. */
  readonly call: string | null;
  readonly input: string;
  /** Account key that it installs, as JSON. */
  readonly newKey: unknown;
  readonly sender: SignerReport;
  readonly feePayer: SignerReport | null;
  /** Whether it has all required signatures. */
  readonly isComplete: boolean;
}

/** The fee payer service of a development chain. */
export interface FeePayerReport {
  readonly url: string;
  /** Account that pays. */
  readonly account: string;
  /** kei a day, decimal; null without a limit. */
  readonly dailyLimit: string | null;
  readonly dailySenderLimit: string | null;
  /** Names of the dApps that it pays for; null where it pays for everybody. */
  readonly dapps: readonly string[] | null;
}

/** What a key means for one role. */
export interface RoleReport {
  /** `transaction`, `account update` or `fee payer`. */
  readonly role: string;
  readonly type: string;
  readonly threshold: number;
  /** Sum of all weights. */
  readonly total: number;
  /** Sum of the weights whose keys this node holds. */
  readonly held: number;
  readonly keys: readonly {
    readonly publicKey: string | null;
    /** Address that the key comes from. */
    readonly address: string;
    readonly weight: number;
    readonly isHeld: boolean;
  }[];
  /** Whether the update leaves it unchanged. */
  readonly isUnchanged: boolean;
}

/** The effect of giving an account a key. */
export interface KeyReport {
  /** Of the key as it was given; null where it cannot be encoded. */
  readonly encoded: string | null;
  /** Why the chain would refuse it. */
  readonly problem: string | null;
  /** The key that the account has afterwards, as JSON. */
  readonly result: unknown;
  readonly roles: readonly RoleReport[];
  /** Warnings for the owner, most serious first. */
  readonly warnings: readonly string[];
  /** Whether nobody, or nobody known to this node, could change the key any more. */
  readonly locksOut: boolean;
  /** Gas that the update needs at most, decimal. */
  readonly gas: string;
}

/** An account whose key the node can use. */
export interface UnlockedAccount {
  readonly address: string;
  /** Seconds until it is locked; null = when the node stops. */
  readonly seconds: number | null;
}
