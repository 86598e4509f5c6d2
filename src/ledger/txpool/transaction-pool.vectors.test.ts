import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Account, newContract, newEoa } from "../../protocol/account/account.ts";
import { decodeAccountKey } from "../../protocol/account/key-codec.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { decodeTransaction, transactionHash } from "../../protocol/transaction/envelope.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { createPoolChain } from "./testing/chain.ts";
import { ChainTransactionPool } from "./transaction-pool.ts";

const CHAIN_ID = 2019n;

interface Listed {
  readonly [sender: string]: readonly { readonly hash: string; readonly nonce: number }[];
}

interface Step {
  readonly raw: string;
  readonly local: boolean;
  readonly error: string | null;
  readonly after: { readonly pending: Listed; readonly queued: Listed };
}

interface VectorAccount {
  readonly balance: string;
  readonly nonce: number;
  readonly key?: string;
  readonly code?: string;
}

interface Case {
  readonly name: string;
  readonly fork: (typeof FORKS)[number];
  readonly config: { readonly [name: string]: number | boolean };
  readonly state: Readonly<Record<string, VectorAccount>>;
  readonly steps: readonly Step[];
}

const file = new URL("../../../test/fixtures/vectors/txpool.json.gz", import.meta.url);
const { cases } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { cases: readonly Case[] };

function accountOf({ balance, nonce, key, code }: VectorAccount): Account {
  const amount = BigInt(balance);
  if (code !== undefined) {
    return { ...newContract(amount, 0x10), nonce: BigInt(nonce), codeHash: keccak256(hexToBytes(code)) };
  }
  const eoa = { ...newEoa(amount), nonce: BigInt(nonce) };
  return key === undefined ? eoa : { ...eoa, key: decodeAccountKey(hexToBytes(key)) };
}

function poolOf({ fork, config, state }: Case): ChainTransactionPool {
  const accounts = new Map(
    Object.entries(state).map(([address, account]) => [address.toLowerCase(), accountOf(account)]),
  );
  const { chain } = createPoolChain(FORKS.indexOf(fork) + 1, CHAIN_ID, accounts);
  return new ChainTransactionPool({
    chain,
    recovery: createInlineRecovery(CHAIN_ID),
    now: () => 0,
    options: {
      allowLocalAnchoring: config["allowLocalAnchorTx"] === true,
      execSlotsAccount: Number(config["execSlotsAccount"]),
      execSlotsAll: Number(config["execSlotsAll"]),
      nonExecSlotsAccount: Number(config["nonExecSlotsAccount"]),
      nonExecSlotsAll: Number(config["nonExecSlotsAll"]),
    },
  });
}

const lowerKeys = (listed: Listed) =>
  Object.fromEntries(Object.entries(listed).map(([sender, list]) => [sender.toLowerCase(), list]));

const listed = (map: Map<string, readonly Transaction[]>) =>
  Object.fromEntries(
    [...map].map(([sender, transactions]) => [
      sender,
      transactions.map((tx) => ({ hash: bytesToHex(transactionHash(tx)), nonce: Number(tx.nonce) })),
    ]),
  );

describe("the recorded sequences of the reference node", () => {
  it.each(cases)("$name", async (recorded) => {
    const pool = poolOf(recorded);
    for (const [i, { raw, local, error, after }] of recorded.steps.entries()) {
      const outcome = await pool.add(decodeTransaction(hexToBytes(raw)), { local }).then(
        () => null,
        (reason: Error) => reason.message,
      );
      const { pending, queued } = pool.content();
      expect([i, outcome, listed(pending), listed(queued)]).toEqual([
        i,
        error,
        lowerKeys(after.pending),
        lowerKeys(after.queued),
      ]);
    }
  });
});
