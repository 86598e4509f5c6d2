import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportBlocks } from "../../src/ledger/chain/import/chain-file.ts";
import { devGenesis } from "../../src/node/dev/genesis.ts";
import { openSealedChain, type SealedChain } from "../../src/node/testing/sealed-chain.ts";
import { addressOfPublicKey, publicKeyOf } from "../../src/protocol/crypto/secp256k1.ts";
import { concat } from "../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../src/protocol/primitives/hex.ts";
import { signAsFeePayer, signTransaction } from "../../src/protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../src/protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../src/protocol/transaction/type-table.ts";
import type { TransactionType } from "../../src/protocol/transaction/types.ts";
import { createTransaction } from "../../src/protocol/transaction/value.ts";

const CHAIN_ID = 4243n;
const VALIDATOR_KEY = new Uint8Array(32).fill(0x11);
const KEYS = [0x21, 0x22, 0x23, 0x24].map((byte) => new Uint8Array(32).fill(byte));
const addressOf = (key: Uint8Array) => addressOfPublicKey(publicKeyOf(key));
/** Blocks that all branches share. */
const SHARED = 2_040;
/** Blocks of the shortest branch; each further one is a block longer. */
const MIN_LENGTH = 10;
/** Writes the block's number into a slot and logs it as a topic. */
const LOGGER = { address: "0x00000000000000000000000000000000000010c5", code: "0x43435543600060a100" };

/** Chains of one genesis, on disk, that fork after block 2,040. */
export interface Branches {
  readonly genesis: string;
  /** The first holds the shared blocks and a branch; the others a branch each, one block longer than the one before. */
  readonly files: readonly string[];
  /** Hash of the latest block of each. */
  readonly heads: readonly string[];
}

/** Makes chains each of which replaces the one before. */
export async function makeBranches(folder: string, count: number): Promise<Branches> {
  const genesis = join(folder, "genesis.json");
  const json = genesisOf();
  writeFileSync(genesis, JSON.stringify(json));
  const sealed = await openSealedChain({ genesis: json as never, validatorKey: VALIDATOR_KEY });
  const { chain } = sealed.ledger;
  for (let number = 1; number <= SHARED; number++) await sealed.seal();
  const [files, heads]: [string[], string[]] = [[], []];
  for (let i = 0; i < count; i++) {
    await chain.exclusive(() => chain.rewind(BigInt(SHARED)));
    await growBranch(sealed, i);
    const file = join(folder, `branch-${i}.rlp`);
    const first = i === 0 ? 1n : BigInt(SHARED + 1);
    writeFileSync(file, concat(...exportBlocks(chain, first, chain.head.header.number)));
    files.push(file);
    heads.push(bytesToHex(chain.head.hash));
  }
  await sealed.ledger.store.close();
  return { genesis, files, heads };
}

function genesisOf() {
  const { alloc, ...rest } = devGenesis({
    chainId: CHAIN_ID,
    validator: addressOf(VALIDATOR_KEY),
    accounts: KEYS.map(addressOf),
    balance: 10n ** 24n,
  });
  const logger = { [LOGGER.address]: { balance: "0x0", code: LOGGER.code } };
  return { ...rest, alloc: { ...(alloc as object), ...logger } };
}

async function growBranch({ seal, ledger: { chain } }: SealedChain, branch: number): Promise<void> {
  for (let n = 0; n < MIN_LENGTH + branch; n++) {
    await seal(...KEYS.flatMap((key, i) => transactionsOf(key, i, BigInt(n), branch)));
  }
  await chain.published();
}

/** Two transactions of a sender: one shared with a neighbouring branch, one unique to this branch. */
function transactionsOf(key: Uint8Array, i: number, block: bigint, branch: number): Transaction[] {
  const from = addressOf(key);
  const to = addressOf(KEYS[(i + 1) % KEYS.length] as Uint8Array);
  const rest = { gas: 200_000n, gasPrice: 100_000_000_000n, from };
  const typed = (name: string, parts: object) =>
    createTransaction({ type: transactionTypeByName(name) as TransactionType, ...rest, ...parts } as never);
  const shared = typed("TxTypeFeeDelegatedValueTransfer", { nonce: 2n * block, to, value: 1n, feePayer: to });
  const feePayerKey = KEYS[(i + 1) % KEYS.length] as Uint8Array;
  const own = typed("TxTypeSmartContractExecution", {
    ...{ nonce: 2n * block + 1n, value: 0n, to: Buffer.from(LOGGER.address.slice(2), "hex") },
    input: Uint8Array.of(branch),
  });
  return [
    signAsFeePayer(signTransaction(shared, [key], CHAIN_ID), [feePayerKey], CHAIN_ID),
    signTransaction(own, [key], CHAIN_ID),
  ];
}
