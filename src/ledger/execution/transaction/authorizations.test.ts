import { expect, it } from "vitest";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { authorizationHash } from "../../../protocol/transaction/signatures/signers.ts";
import { bob, CONTRACT, createWorld, made, type Person, person, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

/** Gas of a transaction with an authorization of each of these accounts. */
function gasOf(authorities: readonly Person[]): bigint {
  const authorizationList = authorities.map(({ key }) => {
    const unsigned = { chainId: 0n, address: CONTRACT, nonce: 0n };
    const { r, s, parity } = sign(authorizationHash(unsigned), key);
    return { ...unsigned, r, s, yParity: BigInt(parity) };
  });
  const tx = made("EthereumSetCode", { to: STRANGER, authorizationList });
  return applyTransaction(tx, createWorld()).receipt.gasUsed;
}

/** @see EIP-7702: PER_EMPTY_ACCOUNT_COST is 25,000, PER_AUTH_BASE_COST 12,500 */
it("charges 25,000 gas for each authorization, and returns half of it if the account exists", () => {
  const created = [person(7), person(8), person(9)];
  // enough gas that the refund is below its limit, a fifth of the gas used
  expect(gasOf(created)).toBe(21_000n + 3n * 25_000n);
  expect(gasOf([...created, bob])).toBe(21_000n + 4n * 25_000n - 12_500n);
});
