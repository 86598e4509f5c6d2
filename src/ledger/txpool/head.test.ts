import { expect, it } from "vitest";
import { newEoa } from "../../protocol/account/account.ts";
import { emptyHeader } from "../../protocol/block/testing/header.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { rulesOfLevel } from "../../protocol/params/rules.ts";
import { EMPTY_BYTES, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { createPoolChain } from "./testing/chain.ts";
import { transfer, wallet } from "./testing/transactions.ts";
import { ChainTransactionPool } from "./transaction-pool.ts";

const CHAIN_ID = 2019n;
const SENDER = wallet(0);

it("takes the types that the next block allows: those of a fork from its parent on", async () => {
  const { chain } = createPoolChain(FORKS.length, CHAIN_ID, new Map([[SENDER.key, newEoa(10n ** 20n)]]));
  /** What a pool replies whose newest block has this number, on a chain whose block 8 is the first with ethTxType. */
  const replyAt = (number: bigint) => {
    const pool = new ChainTransactionPool({
      chain: {
        ...chain,
        head: { header: { ...emptyHeader(), number }, hash: ZERO_HASH },
        rulesAt: (at) => rulesOfLevel(CHAIN_ID, at < 8n ? FORKS.indexOf("ethTxType") : FORKS.length),
      },
      recovery: createInlineRecovery(CHAIN_ID),
      now: () => 0,
    });
    const parts = { nonce: 0n, chainId: CHAIN_ID, accessList: [], input: EMPTY_BYTES };
    const tx = transfer(SENDER, parts, CHAIN_ID, "TxTypeEthereumAccessList");
    return pool.add(tx, { local: true }).then(
      () => "accepted",
      ({ message }: Error) => message,
    );
  };
  expect([await replyAt(6n), await replyAt(7n)]).toEqual(["transaction type not supported", "accepted"]);
});
