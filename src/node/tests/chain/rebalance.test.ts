import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Ledger } from "../../storage/ledger.ts";
import { importPrivateChain } from "../../testing/private-chain.ts";

const account = (digit: string) => hexToBytes(`0x${digit.repeat(40)}`);

/** A chain of the reference node with two rebalancings and a GovParam contract; see the README beside it. */
describe("a chain with contracts that the protocol calls", () => {
  let ledger: Ledger;
  const balances = (block: bigint, digits: string) =>
    [...digits].map((digit) => ledger.chain.stateAt(block)?.account(account(digit))?.balance ?? 0n);

  beforeAll(async () => {
    ledger = await importPrivateChain("rebalance");
  });
  afterAll(() => ledger.store.close());

  it("has the reference's roots in every block", () => {
    expect(ledger.chain.head.header.number).toBe(36n);
  });

  it("moves funds by KIP-103 and leaves its calls in the nonce of the zero address", () => {
    const coin = 10n ** 18n;
    expect(balances(4n, "1234")).toEqual([1000n * coin, 2000n * coin, 4000n * coin, 0n]);
    expect(balances(5n, "1234")).toEqual([10n * coin, 0n, 100n * coin, 7n]);
    expect(ledger.chain.stateAt(5n)?.account(ZERO_ADDRESS)?.nonce).toBe(10n);
  });

  it("moves funds by KIP-160, which may increase the total", () => {
    expect(balances(8n, "345")).toEqual([100n * 10n ** 18n, 7n, 3000n * 10n ** 18n]);
    expect(balances(9n, "345")).toEqual([0n, 10n ** 22n, 5n]);
    expect(ledger.chain.stateAt(36n)?.account(ZERO_ADDRESS)?.nonce).toBe(10n);
  });

  it("takes parameters from the GovParam contract from its activation block on", () => {
    expect(ledger.chain.header(15n)?.baseFee).toBe(25_000_000_000n);
    expect(ledger.chain.header(16n)?.baseFee).toBe(30_000_000_000n);
    expect(ledger.chain.params.at(15n).ratio).toBe("34/54/12");
    expect(ledger.chain.params.at(16n).ratio).toBe("50/30/20");
  });
});
