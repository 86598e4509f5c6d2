import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { renderBlock } from "../../../src/api/rpc/render/block.ts";
import { renderEthBlock } from "../../../src/api/rpc/render/eth-block.ts";
import { renderEthTransaction } from "../../../src/api/rpc/render/eth-transaction.ts";
import {
  type LocatedReceipt,
  renderEthReceipt,
  renderLog,
  renderReceipt,
} from "../../../src/api/rpc/render/receipt.ts";
import { renderTransaction } from "../../../src/api/rpc/render/transaction.ts";
import type { ExecutedBlock } from "../../../src/ledger/chain/chain.ts";
import { exportBlocks } from "../../../src/ledger/chain/import/chain-file.ts";
import { searchLogs } from "../../../src/ledger/chain/logs/log-search.ts";
import { blockRewardWithFees } from "../../../src/ledger/extensions/reward/block-reward.ts";
import type { Ledger } from "../../../src/node/storage/ledger.ts";
import { encodeBlock } from "../../../src/protocol/block/block-codec.ts";
import { concat, type Hash } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { encodeTransaction, transactionHash } from "../../../src/protocol/transaction/envelope.ts";
import { effectiveGasPrice } from "../../../src/protocol/transaction/fees.ts";
import type { Transaction } from "../../../src/protocol/transaction/transaction.ts";
import { same } from "../vectors/vector-case.ts";
import { accountDifference } from "./accounts.ts";
import type { ExpectedBlock, JsonObject, Recording } from "./recording.ts";

/** One comparison of the imported chain with the recording. */
export interface Check {
  readonly name: string;
  run(): void;
}

/** The check's name identifies its subject; the difference gives the location. */
function equal(have: unknown, want: unknown): void {
  same(have, want, "answer");
}

/** All comparisons possible with a recording. */
export function* checksOf(ledger: Ledger, recording: Recording): Generator<Check> {
  for (const expected of recording.expected.blocks) {
    yield {
      name: `block ${expected.number}`,
      run: () => equal(summary(ledger, expected), pick(expected)),
    };
  }
  yield {
    name: "head",
    run: () => equal(bytesToHex(ledger.chain.head.hash), recording.expected.headHash),
  };
  yield { name: "export", run: () => compareExport(ledger, recording) };
  yield* blockChecks(ledger, recording);
  yield* transactionChecks(ledger, recording);
  yield* receiptChecks(ledger, recording);
  yield* logChecks(ledger, recording);
  yield* accountChecks(ledger, recording);
}

const COMPARED = [
  "number",
  "hash",
  "stateRoot",
  "txRoot",
  "receiptsRoot",
  "gasUsed",
  "size",
  "proposer",
] as const;

function pick(expected: ExpectedBlock): JsonObject {
  return Object.fromEntries(COMPARED.map((key) => [key, expected[key]]));
}

function summary({ chain }: Ledger, { number }: ExpectedBlock): JsonObject {
  const { block, hash } = executedAt(chain, BigInt(number));
  const { header } = block;
  return {
    number,
    hash: bytesToHex(hash),
    stateRoot: bytesToHex(header.stateRoot),
    txRoot: bytesToHex(header.transactionsRoot),
    receiptsRoot: bytesToHex(header.receiptsRoot),
    gasUsed: `0x${header.gasUsed.toString(16)}`,
    size: `0x${encodeBlock(block).length.toString(16)}`,
    proposer: number === 0 ? null : bytesToHex(chain.author(header)),
  };
}

function executedAt(chain: Ledger["chain"], number: bigint): ExecutedBlock {
  const [block, hash, receipts] = [chain.block(number), chain.hash(number), chain.receipts(number)];
  if (block === undefined || hash === undefined || receipts === undefined)
    throw new Error("block is missing");
  return { block, hash, receipts };
}

function compareExport({ chain }: Ledger, { chainFile }: Recording): void {
  const exported = concat(...exportBlocks(chain, 1n, chain.head.header.number));
  equal(Buffer.compare(exported, gunzipSync(readFileSync(chainFile))), 0);
}

function* blockChecks(ledger: Ledger, { blocks }: Recording): Generator<Check> {
  const { chain } = ledger;
  for (const [number, recorded] of Object.entries(blocks)) {
    const source = () => {
      const { block } = executedAt(chain, BigInt(number));
      const transactions = block.transactions.map((tx) => bytesToHex(transactionHash(tx)));
      const rules = chain.rulesAt(BigInt(number));
      return { header: block.header, rules, size: encodeBlock(block).length, transactions };
    };
    yield { name: `kaia_getBlock ${number}`, run: () => equal(renderBlock(source()), recorded.kaia) };
    const eth = () => renderEthBlock({ ...source(), author: chain.author(source().header) });
    yield { name: `eth_getBlock ${number}`, run: () => equal(eth(), recorded.eth) };
    yield {
      name: `rewards ${number}`,
      run: () => equal(rewardsOf(ledger, BigInt(number)), recorded.rewards),
    };
  }
}

/** The result of `kaia_getRewards`, before its conversion to JSON. */
function rewardsOf({ chain, extensions }: Ledger, number: bigint): object {
  const { block, receipts } = executedAt(chain, number);
  const { header } = block;
  const rules = chain.rulesAt(number);
  const totalFee = receipts.reduce((sum, { gasUsed }, i) => {
    return sum + gasUsed * effectiveGasPrice(block.transactions[i] as Transaction, header.baseFee, rules);
  }, 0n);
  const reward = blockRewardWithFees(
    {
      rules,
      params: chain.params.at(number),
      rewardbase: header.rewardbase,
      totalFee,
      staking: () => extensions.staking.at(number),
    },
    chain.author(header),
  );
  const { payments, ...amounts } = reward;
  const byAddress = payments.map(({ address, amount }) => [bytesToHex(address), amount]);
  return { ...amounts, rewards: Object.fromEntries(byAddress) };
}

function* transactionChecks({ chain }: Ledger, { transactions }: Recording): Generator<Check> {
  for (const [number, list] of Object.entries(transactions)) {
    for (const recorded of list) {
      const located = () => {
        const place = chain.locate(hexToBytes(recorded.hash));
        const receipt = locatedReceipts(chain, BigInt(number))[place?.index ?? -1];
        if (place?.blockNumber !== BigInt(number) || receipt === undefined)
          throw new Error("not found by its hash");
        return receipt;
      };
      const name = `${recorded.hash} in block ${number}`;
      yield {
        name: `kaia transaction ${name}`,
        run: () => equal(renderTransaction(located()), recorded.kaia),
      };
      yield {
        name: `eth transaction ${name}`,
        run: () => equal(renderEthTransaction(located()), recorded.eth),
      };
      yield {
        name: `eth receipt ${name}`,
        run: () => equal(renderEthReceipt(located()), recorded.ethReceipt),
      };
      const raw = () => bytesToHex(encodeTransaction(located().tx));
      yield { name: `raw ${name}`, run: () => equal(raw(), recorded.raw) };
    }
  }
}

const locatedCache = new WeakMap<object, readonly LocatedReceipt[]>();

function locatedReceipts(chain: Ledger["chain"], number: bigint): readonly LocatedReceipt[] {
  const { block, hash, receipts } = executedAt(chain, number);
  const cached = locatedCache.get(receipts);
  if (cached !== undefined) return cached;
  const context = { header: block.header, hash, rules: chain.rulesAt(number) };
  let firstLogIndex = 0;
  let cumulativeGasUsed = 0n;
  const located = receipts.map((receipt, index) => {
    const first = firstLogIndex;
    firstLogIndex += receipt.logs.length;
    cumulativeGasUsed += receipt.gasUsed;
    const tx = block.transactions[index] as Transaction;
    const { chainId } = chain.config;
    return { tx, chainId, block: context, index, receipt, firstLogIndex: first, cumulativeGasUsed };
  });
  locatedCache.set(receipts, located);
  return located;
}

function* receiptChecks({ chain }: Ledger, { receipts }: Recording): Generator<Check> {
  for (const [number, list] of Object.entries(receipts)) {
    const rendered = () => locatedReceipts(chain, BigInt(number)).map(renderReceipt);
    yield { name: `receipts of block ${number}`, run: () => equal(rendered(), list) };
  }
}

/** Searches by each address that emitted logs must find what the receipts recorded. */
function* logChecks({ chain }: Ledger, { receipts }: Recording): Generator<Check> {
  const recorded = Object.keys(receipts)
    .sort((a, b) => Number(a) - Number(b))
    .flatMap((number) => receipts[number] ?? [])
    .flatMap(({ logs }) => logs as unknown as JsonObject[]);
  const complete = Object.keys(receipts).length === countBlocksWithTransactions(chain);
  if (!complete) return;
  for (const address of new Set(recorded.map((log) => log["address"] as string))) {
    const filter = { addresses: [hexToBytes(address)], topics: [] };
    const found = () =>
      [...searchLogs(chain, filter, 0n, chain.head.header.number)].flatMap(({ blockNumber, logs }) =>
        logs.map(({ log, transactionIndex, logIndex }) => {
          const transactionHash = chain.transactionHashAt({ blockNumber, index: transactionIndex });
          return renderLog(log, {
            ...{ blockNumber, transactionIndex, logIndex, removed: false },
            blockHash: bytesToHex(chain.hash(blockNumber) as Hash),
            transactionHash: bytesToHex(transactionHash as Hash),
          });
        }),
      );
    const wanted = recorded.filter((log) => log["address"] === address);
    yield { name: `logs of ${address}`, run: () => equal(found(), wanted) };
  }
}

function countBlocksWithTransactions(chain: Ledger["chain"]): number {
  let count = 0;
  for (let number = 1n; number <= chain.head.header.number; number++) {
    if ((chain.block(number)?.transactions.length ?? 0) > 0) count++;
  }
  return count;
}

function* accountChecks(ledger: Ledger, { accounts }: Recording): Generator<Check> {
  for (const [height, list] of Object.entries(accounts)) {
    for (const [address, recorded] of Object.entries(list)) {
      const run = () => accountDifference(ledger, BigInt(height), address, recorded);
      yield { name: `account ${address} at ${height}`, run };
    }
  }
}
