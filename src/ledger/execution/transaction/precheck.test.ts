import { describe, expect, it } from "vitest";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Fork } from "../../../protocol/params/forks.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { TransactionRejection } from "../errors.ts";
import { alice, BASE_FEE, bob, createWorld, made, STRANGER } from "../testing/world.ts";
import { checkAuthorizationList, checkBlobs, checkFeeCaps, checkNonce } from "./precheck.ts";

/** Code and message of the rejection, or "accepted". */
function resultOf(check: () => void): unknown {
  try {
    check();
    return "accepted";
  } catch (error) {
    if (error instanceof TransactionRejection) return [error.code, error.message];
    throw error;
  }
}

const SENDER = `address ${checksumAddress(alice.address)}`;

describe("the fee caps", () => {
  const checked = (
    gasPrice: bigint,
    maxPriorityFeePerGas: bigint,
    fork: Fork = "prague",
    mayBeFree = true,
  ) => {
    // Signed with other caps: not all of these can be encoded.
    const tx = { ...made("EthereumDynamicFee", { to: STRANGER }), gasPrice, maxPriorityFeePerGas };
    return resultOf(() => checkFeeCaps(tx, alice.address, createWorld({ fork }).context, mayBeFree));
  };

  it("allow a tip of at most the maximum fee per gas", () => {
    const text = "max fee per gas higher than max priority fee per gas";
    const prices = `maxPriorityFeePerGas: ${BASE_FEE + 1n}, maxFeePerGas: ${BASE_FEE}`;
    expect(checked(BASE_FEE, BASE_FEE)).toBe("accepted");
    expect(checked(BASE_FEE, BASE_FEE + 1n)).toEqual(["FEE_CAP", `${text}: ${SENDER}, ${prices}`]);
    expect(checked(BASE_FEE, BASE_FEE + 1n, "kaia")).toBe("accepted");
  });

  it("are at least the base fee of the block", () => {
    const text = "max fee per gas less than block base fee";
    const prices = `maxFeePerGas: ${BASE_FEE - 1n}, baseFee: ${BASE_FEE}`;
    expect(checked(BASE_FEE, 0n)).toBe("accepted");
    expect(checked(BASE_FEE - 1n, 0n)).toEqual(["FEE_CAP", `${text}: ${SENDER}, ${prices}`]);
  });

  it("are below 2^256", () => {
    const end = 2n ** 256n;
    expect(checked(end - 1n, end - 1n)).toBe("accepted");
    expect(checked(end, 0n)).toEqual([
      "FEE_CAP",
      `max fee per gas higher than 2^256-1: ${SENDER}, maxFeePerGas bit length: 257`,
    ]);
    expect(checked(end - 1n, end)).toEqual([
      "FEE_CAP",
      `max priority fee per gas higher than 2^256-1: ${SENDER}, maxPriorityFeePerGas bit length: 257`,
    ]);
  });

  it("may both be zero for calls only", () => {
    expect(checked(0n, 0n)).toBe("accepted");
    expect(checked(0n, 0n, "prague", false)).toEqual([
      "FEE_CAP",
      expect.stringContaining("less than block base fee"),
    ]);
    expect(checked(0n, 1n)).toEqual(["FEE_CAP", expect.stringContaining("higher than max priority fee")]);
  });
});

describe("the nonce", () => {
  const checked = (nonce: bigint, next: bigint) => {
    const { state } = createWorld();
    state.setNonce(bob.address, next);
    return resultOf(() =>
      checkNonce(made("ValueTransfer", { nonce, to: STRANGER }, bob), bob.address, state),
    );
  };

  it("is the account's next nonce", () => {
    expect(checked(7n, 7n)).toBe("accepted");
    expect(checked(6n, 7n)).toEqual(["NONCE_TOO_LOW", "nonce too low"]);
    expect(checked(8n, 7n)).toEqual(["NONCE_TOO_HIGH", "nonce too high"]);
  });

  it("is not the maximum, after which none could follow", () => {
    expect(checked(MAX_UINT64 - 1n, MAX_UINT64 - 1n)).toBe("accepted");
    const text = `nonce has max value: address ${checksumAddress(bob.address)}, nonce: ${MAX_UINT64}`;
    expect(checked(MAX_UINT64, MAX_UINT64)).toEqual(["NONCE_MAX", text]);
  });
});

describe("the hashes of blobs", () => {
  const checked = (parts: object, fork: Fork = "osaka") => {
    const signed = made("EthereumBlob", {
      to: STRANGER,
      maxFeePerBlobGas: 10n ** 18n,
      blobVersionedHashes: [HASH],
    });
    return resultOf(() => checkBlobs({ ...signed, ...parts }, alice.address, createWorld({ fork }).context));
  };
  const HASH = new Uint8Array(32).fill(1);
  const OTHER = HASH.with(0, 2);

  it("are of the known version, at least one, and sent to somebody", () => {
    expect(checked({})).toBe("accepted");
    for (const [parts, text] of [
      [{ to: undefined }, "blob transaction of type create"],
      [{ blobVersionedHashes: [] }, "blob transaction missing blob hashes"],
      [{ blobVersionedHashes: [OTHER] }, "blob 0 has invalid hash version"],
      [{ blobVersionedHashes: [HASH, HASH] }, "blob transaction has too many blobs"],
    ] as const)
      expect(checked(parts)).toEqual(["INVALID_BLOB", text]);
    expect(checked({ blobVersionedHashes: [HASH, OTHER] }, "prague")).toEqual([
      "INVALID_BLOB",
      "blob 1 has invalid hash version",
    ]);
  });
});

it("refuses a list of authorizations that is empty, or that belongs to a creation", () => {
  const signed = made("EthereumSetCode", { to: STRANGER, authorizationList: [] });
  const checked = (parts: object) =>
    resultOf(() => checkAuthorizationList({ ...signed, ...parts }, new Uint8Array(2)));
  expect(checked({ authorizationList: undefined })).toBe("accepted");
  expect(checked({})).toEqual([
    "INVALID_AUTHORIZATION",
    "EIP-7702 transaction with empty auth list (sender [0 0])",
  ]);
  expect(checked({ to: undefined })).toEqual([
    "INVALID_AUTHORIZATION",
    "EIP-7702 transaction cannot be used to create contract (sender [0 0])",
  ]);
});
