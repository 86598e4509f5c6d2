import { describe, expect, it } from "vitest";
import { contractAddress } from "../../../protocol/account/address.ts";
import { ZERO_ADDRESS, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { refusal } from "../testing/outcomes.ts";
import { alice, bob, CONTRACT, createWorld, made, PROPOSER, person, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

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
