import {
  type BlockEnvironment,
  computationLimitAt,
  createBlockContext,
} from "../../../src/ledger/execution/environment.ts";
import { TransactionRejection } from "../../../src/ledger/execution/errors.ts";
import { storeParentHash } from "../../../src/ledger/execution/system-call.ts";
import { applyTransaction } from "../../../src/ledger/execution/transaction/transaction.ts";
import { createJournal } from "../../../src/ledger/state/journal/journal.ts";
import { decodeAccount } from "../../../src/protocol/account/account-codec.ts";
import type { Header } from "../../../src/protocol/block/header.ts";
import type { Receipt } from "../../../src/protocol/block/receipt.ts";
import { encodeReceipt } from "../../../src/protocol/block/receipt-codec.ts";
import { FORKS, type Fork } from "../../../src/protocol/params/forks.ts";
import { rulesOfLevel } from "../../../src/protocol/params/rules.ts";
import { EMPTY_BYTES, ZERO_HASH } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { decodeTransaction } from "../../../src/protocol/transaction/envelope.ts";
import { testEvm } from "./engine.ts";
import { MapState } from "./map-state.ts";
import { casesOf, same } from "./vector-case.ts";

const CHAIN_ID = 2019n;

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the file itself
type Published = any;

/** state-transition.json: transactions in one block on a given state, with receipts or errors and the state after. */
export const stateTransition = casesOf((vector) => {
  const state = stateOf(vector.pre);
  same(bytesToHex(state.root()), vector.preRoot, "preRoot");
  const block = environmentOf(vector, state);
  storeParentHash(hexToBytes(vector.env.parentHash), block);
  let gasUsed = 0n;
  vector.txs.forEach((expected: Published, i: number) => {
    gasUsed += checkTransaction(expected, block, `txs[${i}]`);
  });
  same(gasUsed, vector.blockGasUsed, "blockGasUsed");
  state.apply(block.state.changes());
  checkAccounts(state, vector.post);
  same(bytesToHex(state.root()), vector.postRoot, "postRoot");
});

/** @returns gas used */
function checkTransaction(expected: Published, block: BlockEnvironment, what: string): bigint {
  let receipt: Receipt;
  try {
    receipt = applyTransaction(decodeTransaction(hexToBytes(expected.raw)), block).receipt;
  } catch (error) {
    if (!(error instanceof TransactionRejection)) throw error;
    same(error.message, expected.error, `${what}.error`);
    return 0n;
  }
  same(undefined, expected.error, `${what}.error`);
  same(receipt.status, expected.status, `${what}.status`);
  same(receipt.gasUsed, expected.gasUsed, `${what}.gasUsed`);
  same(bytesToHex(encodeReceipt(receipt)), expected.receiptRlp, `${what}.receiptRlp`);
  const created = receipt.contractAddress && bytesToHex(receipt.contractAddress);
  same(created, expected.contractAddress?.toLowerCase(), `${what}.contractAddress`);
  return receipt.gasUsed;
}

function checkAccounts(state: MapState, post: Published): void {
  for (const [address, expected] of Object.entries<Published>(post)) {
    const rlp = state.encoded(hexToBytes(address));
    for (const [slot, value] of Object.entries<string>(expected?.storage ?? {})) {
      const found = bytesToHex(state.storage(hexToBytes(address), hexToBytes(slot))).slice(2);
      same(`0x${found.padStart(64, "0")}`, value, `post.${address}.storage.${slot}`);
    }
    same(rlp === undefined ? null : bytesToHex(rlp), expected?.rlp ?? null, `post.${address}.rlp`);
  }
}

function stateOf(pre: Published): MapState {
  const state = new MapState();
  for (const [address, { rlp, code, storage }] of Object.entries<Published>(pre)) {
    const key = hexToBytes(address);
    state.setAccount(key, decodeAccount(hexToBytes(rlp)));
    if (code !== undefined) state.setCode(hexToBytes(code));
    for (const [slot, value] of Object.entries<string>(storage ?? {})) {
      state.setStorage(key, hexToBytes(slot), hexToBytes(value));
    }
  }
  return state;
}

function environmentOf({ env, fork, deferredTxFee }: Published, state: MapState): BlockEnvironment {
  const rules = rulesOfLevel(CHAIN_ID, FORKS.indexOf(fork as Fork) + 1);
  const author = hexToBytes(env.proposer);
  const source = { header: headerOf(env, rules.osaka), author, rules, ancestorHash: () => ZERO_HASH };
  const recipient = rules.magma ? hexToBytes(env.rewardbase) : author;
  return {
    evm: testEvm(),
    state: createJournal(state),
    context: createBlockContext(source),
    computationLimit: computationLimitAt(rules),
    feeRecipient: deferredTxFee ? undefined : recipient,
  };
}

function headerOf(env: Published, osaka: boolean): Header {
  return {
    parentHash: hexToBytes(env.parentHash),
    rewardbase: hexToBytes(env.rewardbase),
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    bloom: new Uint8Array(256),
    blockScore: BigInt(env.blockScore),
    number: BigInt(env.number),
    gasUsed: 0n,
    time: BigInt(env.timestamp),
    timeFoS: 0,
    extra: EMPTY_BYTES,
    governance: EMPTY_BYTES,
    vote: EMPTY_BYTES,
    ...(env.baseFee === undefined ? {} : { baseFee: BigInt(env.baseFee) }),
    ...(env.mixHash === undefined ? {} : { mixHash: hexToBytes(env.mixHash) }),
    ...(osaka ? { blobGasUsed: 0n, excessBlobGas: 0n } : {}),
  };
}
