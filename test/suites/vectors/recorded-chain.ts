import { readGenesis } from "../../../src/ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../../src/ledger/chain/genesis/genesis-init.ts";
import { type Ledger, openLedger } from "../../../src/node/storage/ledger.ts";
import { systemRuntime } from "../../../src/platform/runtime/system.ts";
import type { Block } from "../../../src/protocol/block/block.ts";
import { decodeBlock } from "../../../src/protocol/block/block-codec.ts";
import { blockHash } from "../../../src/protocol/block/hash.ts";
import { STATUS_SUCCESS } from "../../../src/protocol/block/status.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { transactionHash } from "../../../src/protocol/transaction/envelope.ts";
import { createInlineRecovery } from "../../../src/protocol/transaction/signatures/recovery.ts";
import { same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the file itself
type Published = any;

/**
 * chain-all-forks.json: a sealed chain through every fork, imported block by block under all rules of header, body,
 * execution and rewards. A rejected block fails its case and all later ones.
 */
export function* recordedChain({ genesis, blocks, balances }: Published): Iterable<VectorCase> {
  let ledger: Ledger;
  yield {
    name: "genesis",
    async run() {
      ledger = await openLedger({
        genesis: initialGenesis(readGenesis(genesis)),
        history: "archive",
        recovery: createInlineRecovery,
        runtime: systemRuntime,
      });
      same(hex(ledger.chain.genesisHash), blocks[0].hash, "hash");
    },
  };
  for (const expected of blocks.slice(1)) {
    const name = `block ${expected.number}`;
    yield { name, run: () => checkBlock(ledger, expected, balances) };
  }
}

async function checkBlock(ledger: Ledger, expected: Published, balances: Published): Promise<void> {
  const block = decodeBlock(hexToBytes(expected.rlp));
  same(hex(blockHash(block.header)), expected.hash, "hash");
  await ledger.importer.import(block);
  await ledger.chain.published();
  const { number } = block.header;
  checkReceipts(ledger, block, expected.receipts ?? []);
  for (const [address, byHeight] of Object.entries<Record<string, string>>(balances)) {
    const want = byHeight[String(number)];
    const have = ledger.chain.stateAt(number)?.account(hexToBytes(address))?.balance ?? 0n;
    if (want !== undefined) same(have, BigInt(want), `balance of ${address}`);
  }
}

function checkReceipts({ chain }: Ledger, { header, transactions }: Block, expected: Published[]): void {
  const receipts = chain.receipts(header.number) ?? [];
  same(receipts.length, expected.length, "receipts.length");
  receipts.forEach((receipt, i) => {
    const want = expected[i];
    const tx = transactions[i];
    same(tx && hex(transactionHash(tx)), want.transactionHash, `receipts[${i}].transactionHash`);
    same(receipt.gasUsed, BigInt(want.gasUsed), `receipts[${i}].gasUsed`);
    same(receipt.status === STATUS_SUCCESS, want.status === "0x1", `receipts[${i}] succeeded`);
    if (want.txError !== null)
      same(`0x${receipt.status.toString(16)}`, want.txError, `receipts[${i}].txError`);
    same(
      receipt.contractAddress ? hex(receipt.contractAddress) : null,
      want.contractAddress?.toLowerCase() ?? null,
      `receipts[${i}].contractAddress`,
    );
    same(receipt.logs.length, want.logs.length, `receipts[${i}].logs.length`);
  });
}
