import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksumAddress, contractAddress } from "../../../protocol/account/address.ts";
import { compressPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { ZERO_ADDRESS, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createTransaction } from "../../../protocol/transaction/envelope.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { BlockEnvironment } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import {
  alice,
  BASE_FEE,
  bob,
  CONTRACT,
  createWorld,
  FUNDS,
  made,
  PROPOSER,
  person,
  STRANGER,
} from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

const balances = ({ state }: BlockEnvironment) => ({
  alice: state.balance(alice.address),
  bob: state.balance(bob.address),
  stranger: state.balance(STRANGER),
});

/** Code and message of the rejection. */
function refusal(run: () => unknown): [string, string] {
  try {
    run();
  } catch (error) {
    if (error instanceof TransactionRejection) return [error.code, error.message];
    throw error;
  }
  throw new Error("not rejected");
}

describe("the fee", () => {
  it("is deducted from its payers, and credited to nobody before the end of the block", () => {
    const types = ["ValueTransfer", "FeeDelegatedValueTransfer", "FeeDelegatedValueTransferWithRatio"];
    const cases = fc.record({
      name: fc.constantFrom(...types),
      feeRatio: fc.integer({ min: 1, max: 99 }),
      gas: fc.bigInt({ min: 36_000n, max: 2_000_000n }),
      value: fc.bigInt({ min: 0n, max: 10n ** 20n }),
      gasPrice: fc.bigInt({ min: BASE_FEE, max: 2n * BASE_FEE }),
    });
    fc.assert(
      fc.property(cases, ({ name, feeRatio, ...parts }) => {
        const world = createWorld();
        const shared = name.endsWith("WithRatio") ? { feeRatio } : {};
        const { fee, receipt } = applyTransaction(made(name, { ...parts, ...shared, to: STRANGER }), world);
        const after = balances(world);
        expect(fee).toBe(receipt.gasUsed * parts.gasPrice);
        expect(after.alice + after.bob + after.stranger).toBe(2n * FUNDS - fee);
        expect(after.stranger).toBe(parts.value);
        if (name === "ValueTransfer") expect(after.bob).toBe(FUNDS);
        if (name === "FeeDelegatedValueTransfer") expect(after.alice).toBe(FUNDS - parts.value);
      }),
      { numRuns: 25 },
    );
  });

  it("goes to its recipient immediately if fees are not deferred", () => {
    const world = createWorld({ feeRecipient: PROPOSER });
    const { fee } = applyTransaction(made("ValueTransfer", { to: STRANGER }), world);
    expect(world.state.balance(PROPOSER)).toBe(fee);
  });

  it("follows the base fee from magma to kaia, and the tip from kaia on", () => {
    const dynamic = { to: STRANGER, gasPrice: 3n * BASE_FEE, maxPriorityFeePerGas: 7n };
    const paid = (fork: "shanghai" | "kaia") => {
      const world = createWorld({ fork });
      return applyTransaction(made("EthereumDynamicFee", dynamic), world).fee / 21_000n;
    };
    expect(paid("shanghai")).toBe(BASE_FEE);
    expect(paid("kaia")).toBe(BASE_FEE + 7n);
  });
});

describe("a rejected transaction", () => {
  it.each([
    ["a wrong nonce", { nonce: 5n }, "NONCE_TOO_HIGH", "nonce too high"],
    ["too little gas", { gas: 20_999n }, "INTRINSIC_GAS", "intrinsic gas too low"],
    [
      "more value than its balance",
      { value: FUNDS },
      "INSUFFICIENT_VALUE",
      "insufficient balance for transfer",
    ],
  ])("with %s leaves no trace", (_, parts, code, text) => {
    const world = createWorld();
    const before = balances(world);
    const tx = made("ValueTransfer", { to: STRANGER, ...parts });
    expect(refusal(() => applyTransaction(tx, world))).toEqual([code, text]);
    expect(balances(world)).toEqual(before);
    expect(world.state.nonce(alice.address)).toBe(0n);
    expect(world.state.changes().accounts).toEqual([]);
  });

  it("needs a balance for its fee cap from osaka on, and for its effective price before", () => {
    const tx = made("EthereumDynamicFee", {
      to: STRANGER,
      gas: 100_000n,
      gasPrice: FUNDS / 90_000n,
      maxPriorityFeePerGas: 0n,
    });
    expect(applyTransaction(tx, createWorld({ fork: "prague" })).receipt.status).toBe(1);
    expect(refusal(() => applyTransaction(tx, createWorld()))[1]).toBe(
      "insufficient balance of the fee payer to pay for gas",
    );
  });

  it("is signed for another chain, or with a key other than the account's", () => {
    const signed = made("LegacyTransaction", { to: STRANGER });
    const foreign = signTransaction(createTransaction({ ...signed, signatures: [] }), [alice.key], 1n);
    expect(refusal(() => applyTransaction(foreign, createWorld()))).toEqual([
      "INVALID_SENDER",
      "invalid sender: invalid chain id for signer",
    ]);
    const world = createWorld();
    world.state.createContract(new Uint8Array(20));
    expect(refusal(() => applyTransaction(foreign, world))[1]).toBe(
      "invalid sender: a legacy transaction must be with a legacy account key",
    );
    const stolen = made("ValueTransfer", { to: STRANGER, from: bob.address });
    expect(refusal(() => applyTransaction(stolen, createWorld()))).toEqual([
      "INVALID_SENDER",
      "invalid sender: invalid account key",
    ]);
  });

  it("has more input than init code may have, without a recipient, whatever its type", () => {
    const tx = made("ChainDataAnchoring", { input: new Uint8Array(49_153), gas: 10_000_000n });
    expect(refusal(() => applyTransaction(tx, createWorld()))[1]).toBe(
      "max initcode size exceeded: code size 49153 limit 49152",
    );
  });

  it("breaks a rule of its type, which is checked before its signatures", () => {
    const world = createWorld({ code: hexToBytes("0x00") });
    const stolen = made("ValueTransfer", { to: CONTRACT, from: bob.address });
    expect(refusal(() => applyTransaction(stolen, world))[1]).toMatch(/EOA/);
  });

  it("has a fee cap below the base fee, or too low a blob fee cap; the error names its sender", () => {
    const sender = checksumAddress(alice.address);
    const cheap = made("EthereumDynamicFee", {
      to: STRANGER,
      gasPrice: BASE_FEE - 1n,
      maxPriorityFeePerGas: 0n,
    });
    expect(refusal(() => applyTransaction(cheap, createWorld()))).toEqual([
      "FEE_CAP",
      `max fee per gas less than block base fee: address ${sender}, maxFeePerGas: ${BASE_FEE - 1n}, baseFee: ${BASE_FEE}`,
    ]);
    const blobVersionedHashes = [new Uint8Array(32).fill(1)];
    const blob = made("EthereumBlob", { to: STRANGER, maxFeePerBlobGas: 0n, blobVersionedHashes });
    const [code, text] = refusal(() => applyTransaction(blob, createWorld()));
    expect(code).toBe("INVALID_BLOB");
    expect(text).toContain(`address ${sender} blobGasFeeCap: 0, blobBaseFee: `);
  });

  it("has a type that is not active yet", () => {
    const tx = made("EthereumSetCode", { to: STRANGER, authorizationList: [] });
    expect(refusal(() => applyTransaction(tx, createWorld({ fork: "kaia" })))[1]).toBe(
      "invalid sender: transaction type not supported",
    );
    expect(refusal(() => applyTransaction(tx, createWorld()))[1]).toMatch(/^EIP-7702 transaction with empty/);
  });
});

describe("the receipt", () => {
  it("has a contract address for every type without a recipient", () => {
    const { receipt } = applyTransaction(made("Cancel"), createWorld());
    expect(receipt.contractAddress).toEqual(contractAddress(alice.address, 0n));
    expect(receipt.gasUsed).toBe(21_000n);
  });

  it("has the floor gas for data from prague on", () => {
    const tx = made("ValueTransferMemo", { to: STRANGER, input: new Uint8Array(1000).fill(1) });
    expect(applyTransaction(tx, createWorld()).receipt.gasUsed).toBe(21_000n + 40_000n);
    expect(applyTransaction(tx, createWorld({ fork: "kaia" })).receipt.gasUsed).toBe(21_000n + 100_000n);
  });

  it("counts all gas of a failed call, whose nonce is used", () => {
    const world = createWorld({ code: Uint8Array.of(0xfe) });
    const { receipt } = applyTransaction(made("SmartContractExecution", { to: CONTRACT }), world);
    expect(receipt).toMatchObject({ status: 2, gasUsed: 1_000_000n });
    expect(world.state.nonce(alice.address)).toBe(1n);
  });
});

describe("the refund", () => {
  // Sets slot 0 to 1 and back to 0.
  const code = hexToBytes("0x6001600055600060005500");
  const used = (fork: "istanbul" | "osaka") =>
    applyTransaction(made("SmartContractExecution", { to: CONTRACT }), createWorld({ fork, code })).receipt
      .gasUsed;

  it("is at most half of the gas used, and a fifth from kore on", () => {
    const istanbul = 21_000n + 12n + 20_000n + 800n;
    expect(used("istanbul")).toBe(istanbul - 19_200n);
    const osaka = 21_000n + 12n + 22_100n + 100n;
    expect(used("osaka")).toBe(osaka - osaka / 5n);
  });
});

describe("a value", () => {
  it("may be the sender's whole balance, but no more", () => {
    const sent = (value: bigint) => made("FeeDelegatedValueTransfer", { to: STRANGER, value });
    const world = createWorld();
    applyTransaction(sent(FUNDS), world);
    expect(balances(world)).toMatchObject({ alice: 0n, stranger: FUNDS });
    expect(refusal(() => applyTransaction(sent(FUNDS + 1n), createWorld()))[0]).toBe("INSUFFICIENT_VALUE");
  });

  it("of one kei cannot come from a missing account, even if another pays the fee", () => {
    const poor = person(5);
    const tx = made("FeeDelegatedValueTransfer", { to: STRANGER, value: 1n }, poor);
    for (const fork of ["prague", "osaka"] as const)
      expect(refusal(() => applyTransaction(tx, createWorld({ fork })))[0]).toBe("INSUFFICIENT_VALUE");
  });
});

describe("signatures", () => {
  it("cost 15,000 gas each, except the first", () => {
    const world = createWorld();
    const keys = [person(3), person(4)].map(({ key }) => ({
      weight: 1n,
      publicKey: compressPublicKey(publicKeyOf(key)),
    }));
    world.state.setKey(alice.address, { type: "weightedMultisig", threshold: 2n, keys });
    world.state.endTransaction();
    const { signatures: _, ...unsigned } = made("ValueTransfer", { to: STRANGER });
    const tx = signTransaction(
      createTransaction({ ...unsigned, signatures: [] }),
      [person(3).key, person(4).key],
      2019n,
    );
    expect(applyTransaction(tx, world).receipt.gasUsed).toBe(21_000n + 15_000n);
  });
});

it("passes its result on before its logs and warm accesses are cleared", () => {
  // LOG0 of nothing
  const world = createWorld({ code: hexToBytes("0x5f5fa000") });
  const ended: [gas: bigint, logs: number][] = [];
  const beforeEnd = (result: { readonly gasUsed: bigint }) =>
    void ended.push([result.gasUsed, world.state.logs.length]);
  const { receipt } = applyTransaction(made("SmartContractExecution", { to: CONTRACT }), world, {
    beforeEnd,
  });
  expect(ended).toEqual([[receipt.gasUsed, 1]]);
  expect(world.state.logs).toHaveLength(0);
});

describe("an access list, and warm accounts", () => {
  // SLOAD of slot 0
  const code = Uint8Array.of(0x5f, 0x54, 0x50, 0x00);
  const accessList = [{ address: CONTRACT, storageKeys: [ZERO_HASH] }];
  const used = (fork: "shanghai" | "cancun", list: typeof accessList) => {
    const tx = made("EthereumAccessList", { to: CONTRACT, accessList: list });
    return applyTransaction(tx, createWorld({ fork, code })).receipt.gasUsed;
  };

  it("is charged for before cancun, and has an effect only from cancun on", () => {
    const price = 2400n + 1900n;
    expect(used("shanghai", accessList) - used("shanghai", [])).toBe(price);
    expect(used("cancun", accessList) - used("cancun", [])).toBe(price - 2000n);
  });

  const usedByBalanceOf = (address: Uint8Array, to = CONTRACT) => {
    const world = createWorld({ code: hexToBytes(`0x73${bytesToHex(address).slice(2)}315000`) });
    const delegated = person(3).address;
    world.state.setNonce(delegated, 1n);
    world.state.setCode(delegated, hexToBytes(`0xef0100${"dd".repeat(20)}`), 0x10);
    world.state.endTransaction();
    return applyTransaction(made("FeeDelegatedSmartContractExecution", { to }), world).receipt.gasUsed;
  };

  it("include sender, fee payer, recipient and proposer", () => {
    const cold = usedByBalanceOf(STRANGER);
    for (const warm of [alice.address, bob.address, CONTRACT, PROPOSER])
      expect(cold - usedByBalanceOf(warm)).toBe(2500n);
  });

  it("include the recipient's delegate", () => {
    const to = person(3).address;
    expect(usedByBalanceOf(STRANGER, to) - usedByBalanceOf(CONTRACT, to)).toBe(2500n);
  });
});

it("shows the proposer and the fee payer to contracts", () => {
  // COINBASE, then the output of the feePayer precompile, stored in slots 0 and 1
  const code = hexToBytes("0x415f55601460805f5f6103fe5afa5060805160601c60015500");
  const world = createWorld({ code });
  const tx = made("FeeDelegatedSmartContractExecution", { to: CONTRACT });
  expect(applyTransaction(tx, world).receipt.status).toBe(1);
  expect(world.state.storage(CONTRACT, ZERO_HASH).slice(12)).toEqual(PROPOSER);
  const slot = new Uint8Array(32);
  slot[31] = 1;
  expect(world.state.storage(CONTRACT, slot).slice(12)).toEqual(bob.address);
});

describe("the zero address as the recipient of a Kaia type", () => {
  const input = (size: number) => new Uint8Array(size);
  const sent = (name: string, to: Uint8Array, size: number, fork: "london" | "osaka" = "osaka") =>
    applyTransaction(made(name, { to, input: input(size), gas: 20_000_000n }), createWorld({ fork })).receipt;

  it("counts as no recipient in the receipt", () => {
    const address = contractAddress(alice.address, 0n);
    expect(sent("ValueTransferMemo", ZERO_ADDRESS, 1).contractAddress).toEqual(address);
    expect(sent("FeeDelegatedValueTransferMemo", ZERO_ADDRESS, 1).contractAddress).toEqual(address);
    expect(sent("ValueTransferMemo", STRANGER, 1).contractAddress).toBeUndefined();
    expect(sent("EthereumDynamicFee", ZERO_ADDRESS, 1).contractAddress).toBeUndefined();
  });

  it("limits the input to the size of init code from shanghai on", () => {
    expect(sent("ValueTransferMemo", ZERO_ADDRESS, 49_152).status).toBe(1);
    expect(refusal(() => sent("ValueTransferMemo", ZERO_ADDRESS, 49_153))).toEqual([
      "INIT_CODE_TOO_LARGE",
      "max initcode size exceeded: code size 49153 limit 49152",
    ]);
    expect(sent("ValueTransferMemo", STRANGER, 49_153).status).toBe(1);
    expect(sent("EthereumDynamicFee", ZERO_ADDRESS, 49_153).status).toBe(1);
    expect(sent("ValueTransferMemo", ZERO_ADDRESS, 49_153, "london").status).toBe(1);
  });
});

it("runs a contract's code for an account that delegates to it", () => {
  const world = createWorld({ code: hexToBytes("0x60015f5500") });
  const carol = person(3);
  const delegation = `0xef0100${"dd".repeat(20)}`;
  world.state.setNonce(carol.address, 1n);
  world.state.setCode(carol.address, hexToBytes(delegation), 0x10);
  world.state.endTransaction();
  applyTransaction(made("SmartContractExecution", { to: carol.address }), world);
  expect(world.state.storage(carol.address, ZERO_HASH).at(-1)).toBe(1);
  expect(world.state.storage(CONTRACT, ZERO_HASH).at(-1)).toBe(0);
});
