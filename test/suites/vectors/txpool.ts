import { createPoolChain } from "../../../src/ledger/txpool/testing/chain.ts";
import { ChainTransactionPool } from "../../../src/ledger/txpool/transaction-pool.ts";
import { type Account, newContract, newEoa } from "../../../src/protocol/account/account.ts";
import { decodeAccountKey } from "../../../src/protocol/account/key-codec.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { FORKS, type Fork } from "../../../src/protocol/params/forks.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { decodeTransaction, transactionHash } from "../../../src/protocol/transaction/envelope.ts";
import { createInlineRecovery } from "../../../src/protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../../src/protocol/transaction/transaction.ts";
import { casesOf, same } from "./vector-case.ts";

const CHAIN_ID = 2019n;

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the file itself
type Published = any;

/** txpool.json: sequences of submissions with the result of each and the pool's content after it. */
export const txpool = casesOf(async (vector) => {
  const pool = poolOf(vector);
  for (const [i, { raw, local, error, after }] of vector.steps.entries()) {
    const answer = await pool.add(decodeTransaction(hexToBytes(raw)), { local }).then(
      () => null,
      (reason: Error) => reason.message,
    );
    same(answer, error, `steps[${i}].error`);
    const { pending, queued } = pool.content();
    same(listed(pending), lowerKeys(after.pending), `steps[${i}].pending`);
    same(listed(queued), lowerKeys(after.queued), `steps[${i}].queued`);
  }
});

function poolOf({ fork, config, state }: Published): ChainTransactionPool {
  const accounts = new Map(
    Object.entries<Published>(state).map(([address, account]) => [address.toLowerCase(), accountOf(account)]),
  );
  const { chain } = createPoolChain(FORKS.indexOf(fork as Fork) + 1, CHAIN_ID, accounts);
  const { allowLocalAnchorTx: allowLocalAnchoring, ...limits } = config;
  const options = { ...limits, allowLocalAnchoring };
  return new ChainTransactionPool({ chain, recovery: createInlineRecovery(CHAIN_ID), now: () => 0, options });
}

function accountOf({ balance, nonce, key, code }: Published): Account {
  const amount = BigInt(balance);
  if (code !== undefined) {
    return { ...newContract(amount, 0x10), nonce: BigInt(nonce), codeHash: keccak256(hexToBytes(code)) };
  }
  const eoa = { ...newEoa(amount), nonce: BigInt(nonce) };
  return key === undefined ? eoa : { ...eoa, key: decodeAccountKey(hexToBytes(key)) };
}

function listed(senders: Map<string, readonly Transaction[]>): object {
  const entry = (tx: Transaction) => ({ hash: bytesToHex(transactionHash(tx)), nonce: Number(tx.nonce) });
  return Object.fromEntries([...senders].map(([sender, transactions]) => [sender, transactions.map(entry)]));
}

function lowerKeys(senders: object): object {
  return Object.fromEntries(Object.entries(senders).map(([sender, list]) => [sender.toLowerCase(), list]));
}
