import { describe, expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { isBundle, type TransactionOrBundle } from "../../execution/block/bundle.ts";
import { addressWord, callInput, uintWord } from "../contracts/abi.ts";
import { bundleFault } from "./bundle-rules.ts";
import { bundled } from "./bundling.ts";
import { Lender, repayAmount } from "./loan.ts";

const CHAIN_ID = 1337n;
const [ALICE, BOB, PROPOSER] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as Keys;
const [TOKEN, ROUTER, OTHER] = [4, 5, 6].map((byte) => new Uint8Array(20).fill(byte)) as Keys;
const UNLIMITED = 2n ** 256n - 1n;
const lender = new Lender(PROPOSER, CHAIN_ID);
const terms = { chainId: CHAIN_ID, router: ROUTER, tokens: [TOKEN], nonceOf: () => 0n };

type Keys = [Uint8Array, Uint8Array, Uint8Array];

function sent(key: Uint8Array, nonce: bigint, to: Address, input: Uint8Array, type = 0): Transaction {
  const typed = { type: transactionType(type) as Transaction["type"], nonce, to, input, value: 0n };
  const dynamic = type === 0 ? {} : { maxPriorityFeePerGas: 50n, accessList: [], chainId: CHAIN_ID };
  return signTransaction(
    createTransaction({ ...typed, gas: 100_000n, gasPrice: 50n, ...dynamic }),
    [key],
    CHAIN_ID,
  );
}

const approve = (key: Uint8Array, nonce = 0n, amount = UNLIMITED, type = 0) =>
  sent(key, nonce, TOKEN, callInput("approve(address,uint256)", addressWord(ROUTER), uintWord(amount)), type);

function swap(key: Uint8Array, nonce: bigint, repay: bigint, token = TOKEN): Transaction {
  const amounts = [1000n, 900n, repay, 99n].map(uintWord);
  const signature = "swapForGas(address,uint256,uint256,uint256,uint256)";
  return sent(key, nonce, ROUTER, callInput(signature, addressWord(token), ...amounts));
}

/** Legacy transactions of the same gas: the amount does not depend on whose they are. */
const PAIR = repayAmount(approve(ALICE), approve(ALICE));
const shown = (candidates: Iterable<TransactionOrBundle>) =>
  [...candidates].map((candidate) => (isBundle(candidate) ? candidate.transactions : candidate));

describe("bundles", () => {
  it("take the places of their swaps, and the rest stays in order", () => {
    const [a, b, plain] = [approve(ALICE), approve(BOB), sent(PROPOSER, 0n, OTHER, new Uint8Array())];
    const [ofA, ofB] = [swap(ALICE, 1n, PAIR), swap(BOB, 1n, PAIR)];
    expect(shown(bundled([a, b, plain, ofB, ofA], terms, lender))).toEqual([plain, [b, ofB], [a, ofA]]);
  });

  it("need a swap after the approval, which otherwise stays before its sender's next transaction", () => {
    const [a, next, b] = [approve(ALICE), sent(ALICE, 1n, OTHER, new Uint8Array()), approve(BOB)];
    expect(shown(bundled([a, b, next], terms, lender))).toEqual([a, next, b]);
  });

  it("begin with a loan of the maximum cost of the sender's transactions, at the swap's price", () => {
    const pair = [approve(ALICE), swap(ALICE, 1n, PAIR)];
    const [bundle] = [...bundled(pair, terms, lender)];
    const state = { nonce: () => 7n };
    const lend = bundle && isBundle(bundle) && bundle.lead(state as never);
    expect(lend).toMatchObject({ nonce: 7n, value: 10_000_000n, gas: 21_000n, gasPrice: 50n });
    expect(lend).toMatchObject({ maxPriorityFeePerGas: 50n, to: addressOfPublicKey(publicKeyOf(ALICE)) });
  });
});

describe("not a bundle", () => {
  const faults: [string, Transaction | undefined, Transaction][] = [
    ["failed to decode swap transaction", undefined, approve(ALICE)],
    ["swap transaction is not valid", undefined, swap(ALICE, 0n, PAIR, OTHER)],
    ["failed to decode approve transaction", swap(ALICE, 0n, PAIR), swap(ALICE, 1n, PAIR)],
    ["failed to decode approve transaction", approve(ALICE, 0n, UNLIMITED, 0x7802), swap(ALICE, 1n, PAIR)],
    ["approve transaction is not valid", approve(ALICE, 0n, 1000n), swap(ALICE, 1n, PAIR)],
    ["approve and swap transactions have different senders", approve(BOB), swap(ALICE, 1n, PAIR)],
    [
      "approve and swap transactions have non-sequential nonces: approve nonce 0, swap nonce 2 (expected 1)",
      approve(ALICE),
      swap(ALICE, 2n, PAIR),
    ],
    [
      "approve transaction nonce is not current: approve nonce 1, current nonce 0",
      approve(ALICE, 1n),
      swap(ALICE, 2n, PAIR),
    ],
    [
      "swap transaction nonce is not current: swap nonce 1, current nonce 0",
      undefined,
      swap(ALICE, 1n, PAIR),
    ],
    [
      "swap transaction has incorrect amountRepay: got 1, expected 11050000",
      approve(ALICE),
      swap(ALICE, 1n, 1n),
    ],
  ];
  it.each(faults)("%s", (text, first, second) => {
    expect(bundleFault(first, second, terms)).toBe(text);
  });
});
