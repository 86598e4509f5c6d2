import { describe, expect, it } from "vitest";
import { newEoa } from "../../../protocol/account/account.ts";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { FORKS } from "../../../protocol/params/forks.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { authorizationHash } from "../../../protocol/transaction/signatures/signers.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { createPoolChain } from "../testing/chain.ts";
import { blobTransfer, transfer, wallet } from "../testing/transactions.ts";
import { ChainTransactionPool } from "../transaction-pool.ts";

const CHAIN_ID = 2019n;
const SENDER = wallet(0);

/** The result of adding a transaction to a pool under the forks before one. */
function resultBefore(fork: (typeof FORKS)[number] | undefined, transaction: Transaction): Promise<unknown> {
  const level = fork === undefined ? FORKS.length : FORKS.indexOf(fork);
  const { chain } = createPoolChain(level, CHAIN_ID, new Map([[SENDER.key, newEoa(10n ** 22n)]]));
  const pool = new ChainTransactionPool({ chain, recovery: createInlineRecovery(CHAIN_ID), now: () => 0 });
  return pool.add(transaction, { local: true }).then(
    () => "accepted",
    (error: Error) => error.message,
  );
}

function deployment(codeBytes: number, gas: bigint): Transaction {
  const type = transactionTypeByName("TxTypeLegacyTransaction") as TransactionType;
  const input = new Uint8Array(codeBytes);
  const parts = { type, nonce: 0n, gas, gasPrice: 25_000_000_000n, value: 0n, input, from: SENDER.address };
  return signTransaction(createTransaction(parts), [SENDER.privateKey], CHAIN_ID);
}

/** The reference node's texts for refusals whose transactions were not recorded. */
describe("a rejection", () => {
  it("of a blob transaction before osaka is that of an unsupported type", async () => {
    const blob = blobTransfer(SENDER, 0n, CHAIN_ID);
    expect(await resultBefore("osaka", blob)).toBe("transaction type not supported");
    expect(await resultBefore(undefined, blob)).not.toBe("transaction type not supported");
  });

  it("of large init code names both sizes, from shanghai on", async () => {
    const text = "max initcode size exceeded: code size 49153, limit 49152";
    expect(await resultBefore(undefined, deployment(49_153, 10_000_000n))).toBe(text);
    expect(await resultBefore(undefined, deployment(49_152, 10_000_000n))).toBe("accepted");
    expect(await resultBefore("shanghai", deployment(49_153, 10_000_000n))).toBe("accepted");
    expect(await resultBefore("shanghai", deployment(49_153, 200_000n))).toBe("intrinsic gas too low");
  });
});

/** @see the reference's error `ErrAuthorityReserved`: authorizations may make the other transactions unpayable. */
it("takes an authorization of an account with at most one transaction in the pool", async () => {
  const [authority, target] = [wallet(1), wallet(2)];
  const unsigned = { chainId: CHAIN_ID, address: target.address, nonce: 9n };
  const { r, s, parity } = sign(authorizationHash(unsigned), authority.privateKey);
  const authorizationList = [{ ...unsigned, r, s, yParity: BigInt(parity) }];
  const input = new Uint8Array(0);
  const parts = { nonce: 0n, chainId: CHAIN_ID, maxPriorityFeePerGas: 0n, input, accessList: [] };
  /** What the pool replies, which has transactions of the authority with these nonces. */
  const replyWith = async (...nonces: bigint[]) => {
    const accounts = new Map([SENDER, authority].map(({ key }) => [key, newEoa(10n ** 22n)]));
    const { chain } = createPoolChain(FORKS.length, CHAIN_ID, accounts);
    const pool = new ChainTransactionPool({ chain, recovery: createInlineRecovery(CHAIN_ID), now: () => 0 });
    for (const nonce of nonces) await pool.add(transfer(authority, { nonce }, CHAIN_ID), { local: true });
    const sent = transfer(SENDER, { ...parts, authorizationList }, CHAIN_ID, "TxTypeEthereumSetCode");
    return pool.add(sent, { local: true }).then(
      () => "accepted",
      ({ message }: Error) => message,
    );
  };
  expect([await replyWith(), await replyWith(0n), await replyWith(5n)]).toEqual(Array(3).fill("accepted"));
  for (const nonces of [
    [0n, 1n],
    [0n, 5n],
    [5n, 6n],
  ])
    expect(await replyWith(...nonces)).toBe("authority already reserved");
});

it("takes gas up to its limit, and no less than the floor for the transaction's data", async () => {
  const { chain } = createPoolChain(FORKS.length, CHAIN_ID, new Map([[SENDER.key, newEoa(10n ** 22n)]]));
  const options = { maxGas: 500_000n };
  const pool = new ChainTransactionPool({
    ...{ chain, recovery: createInlineRecovery(CHAIN_ID), now: () => 0, options },
  });
  const list = { replaced: 0, discarded: 0, limited: 0, unpayable: 0 };
  expect(pool.tally).toEqual({ invalid: 0, refused: 0, underpriced: 0, pending: list, queued: list });
  const input = new Uint8Array(10_000).fill(1);
  const add = (gas: bigint) =>
    pool.add(transfer(SENDER, { nonce: 0n, gas, input, value: gas }, CHAIN_ID, "TxTypeLegacyTransaction"), {
      local: true,
    });
  await expect(add(500_001n)).rejects.toMatchObject({
    code: "GAS_LIMIT_TOO_HIGH",
    message: "tx gas limit exceeds the upper limit: gas 500001, limit 500000",
  });
  await add(500_000n);
  expect([pool.status().pending, pool.tally.invalid]).toEqual([1, 1]);
});

it("refuses gas below the floor of EIP-7623, 40 for a byte", async () => {
  const input = new Uint8Array(10_000).fill(1);
  const { chain } = createPoolChain(FORKS.length, CHAIN_ID, new Map([[SENDER.key, newEoa(10n ** 22n)]]));
  const pool = new ChainTransactionPool({ chain, recovery: createInlineRecovery(CHAIN_ID), now: () => 0 });
  const parts = { nonce: 0n, gas: 420_999n, input, value: 2n };
  await expect(
    pool.add(transfer(SENDER, parts, CHAIN_ID, "TxTypeLegacyTransaction"), { local: true }),
  ).rejects.toMatchObject({
    code: "FLOOR_DATA_GAS",
    message: "insufficient gas for floor data gas cost: gas 420999, minimum needed 421000",
  });
});
