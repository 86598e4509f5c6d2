import { describe, expect, it } from "vitest";
import { FORKS, type Fork } from "../../../protocol/params/forks.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { TransactionPoolError } from "../errors.ts";
import { poolHeadOf } from "../head.ts";
import { createPoolChain } from "../testing/chain.ts";
import { transfer, wallet } from "../testing/transactions.ts";
import { checkPrice } from "./price-rules.ts";

const CHAIN_ID = 2019n;
/** Unit price and base fee of the test chain, kei. */
const PRICE = 25_000_000_000n;

type Prices = { readonly gasPrice: bigint; readonly maxPriorityFeePerGas?: bigint };

/** The rejection of a price under the rules of a fork, or "accepted". */
function resultOf(fork: Fork, prices: Prices): string {
  const { chain } = createPoolChain(FORKS.indexOf(fork) + 1, CHAIN_ID, new Map());
  const isCapped = prices.maxPriorityFeePerGas !== undefined;
  const name = isCapped ? "TxTypeEthereumDynamicFee" : "TxTypeValueTransfer";
  const parts = isCapped ? { chainId: CHAIN_ID, input: EMPTY_BYTES, accessList: [] } : {};
  // Signed with other prices: not all of these can be encoded.
  const tx = { ...transfer(wallet(0), { nonce: 0n, ...parts }, CHAIN_ID, name), ...prices };
  try {
    checkPrice(tx, poolHeadOf(chain));
    return "accepted";
  } catch (error) {
    expect((error as TransactionPoolError).code).toBe("INVALID_PRICE");
    return (error as Error).message;
  }
}

describe("a price before magma", () => {
  it("is exactly the unit price", () => {
    const of = (gasPrice: bigint) => resultOf("ethTxType", { gasPrice });
    expect(of(PRICE)).toBe("accepted");
    for (const other of [PRICE - 1n, PRICE + 1n]) expect(of(other)).toBe("invalid unit price");
  });

  it("is the unit price for both caps", () => {
    const of = (gasPrice: bigint, maxPriorityFeePerGas: bigint) =>
      resultOf("ethTxType", { gasPrice, maxPriorityFeePerGas });
    const same = "It must be set to the same value as gas unit price";
    expect(of(PRICE, PRICE)).toBe("accepted");
    expect(of(PRICE, PRICE - 1n)).toBe(`invalid gas tip cap. ${same}`);
    expect(of(PRICE + 1n, PRICE)).toBe(`invalid gas fee cap. ${same}`);
  });
});

describe("a price from magma on", () => {
  it("is at least the base fee of the next block", () => {
    const least = "It must be set to value greater than or equal to baseFee";
    expect(resultOf("magma", { gasPrice: PRICE })).toBe("accepted");
    expect(resultOf("magma", { gasPrice: 2n * PRICE })).toBe("accepted");
    expect(resultOf("magma", { gasPrice: PRICE - 1n })).toBe(`invalid gas price. ${least}`);
    const capped = { gasPrice: PRICE - 1n, maxPriorityFeePerGas: 0n };
    expect(resultOf("magma", capped)).toBe(`invalid gas fee cap. ${least}`);
  });

  it("has a tip of at most the fee cap, and both below 2^256", () => {
    const of = (gasPrice: bigint, maxPriorityFeePerGas: bigint) =>
      resultOf("magma", { gasPrice, maxPriorityFeePerGas });
    const end = 2n ** 256n;
    expect(of(PRICE, PRICE)).toBe("accepted");
    expect(of(PRICE, PRICE + 1n)).toBe("max fee per gas higher than max priority fee per gas");
    expect(of(end - 1n, end - 1n)).toBe("accepted");
    expect(of(end, 0n)).toBe("max fee per gas higher than 2^256-1");
    expect(of(end, end)).toBe("max priority fee per gas higher than 2^256-1");
  });
});
