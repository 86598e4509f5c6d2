import { expect, it } from "vitest";
import type { CandidateBlock } from "../../ledger/chain/execute/candidate-block.ts";
import { CHAIN_ID, createLedger, genesisOf } from "../../ledger/chain/testing/ledger.ts";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer, type ProducerParts } from "./block-producer.ts";

const SENDER = wallet(0);

it("gives up a block of others whose transactions run for longer than it may take", async () => {
  const { chain, processor, consensus } = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }));
  const candidates = [0n, 1n, 2n].map((nonce) => transfer(SENDER, { nonce, value: 1n }, CHAIN_ID));
  const header = consensus.prepare(chain.tip.header, 0);
  const made = processor.draft({ header, author: ZERO_ADDRESS, candidates, now: () => 0 });
  let nowMs = 0;
  let looked = 0;
  const clock = {
    now: () => nowMs,
    elapsed: () => {
      looked++;
      nowMs += 1_000;
      return nowMs;
    },
  };
  const producer = new BlockProducer({
    ...{ chain, processor, author: ZERO_ADDRESS, settings: {}, runtime: { clock }, logger: silentLogger },
    pool: undefined as unknown as ProducerParts["pool"],
    others: { recovery: createInlineRecovery(CHAIN_ID) },
  });
  const { block } = made as CandidateBlock;
  expect(await producer.check(block, 2_500)).toBeUndefined();
  expect(looked).toBe(4);
  expect((await producer.check(block, 60_000))?.block.transactions).toHaveLength(3);
});
