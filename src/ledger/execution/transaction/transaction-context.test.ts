import { describe, expect, it } from "vitest";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { authorizationHash } from "../../../protocol/transaction/signatures/signers.ts";
import {
  alice,
  bob,
  CONTRACT,
  createWorld,
  made,
  type Person,
  PROPOSER,
  person,
  STRANGER,
} from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";

const COLD_ACCOUNT = 2600n;
const WARM = 100n;
const LISTED_ADDRESS = 2400n;
const LISTED_SLOT = 1900n;
const COLD_SLOT = 2100n;

/** `BALANCE(address)`, its result dropped. */
const balanceOf = (address: Uint8Array) => `73${bytesToHex(address).slice(2)}3150`;
const code = (hex: string) => hexToBytes(`0x${hex}00`);

function gasOf(hex: string, parts: object = {}, options: object = {}): bigint {
  const world = createWorld({ code: code(hex), ...options });
  const { receipt } = applyTransaction(made("EthereumAccessList", { to: CONTRACT, ...parts }), world);
  expect(receipt.status).toBe(1);
  return receipt.gasUsed;
}

describe("warm when code starts are", () => {
  const cold = gasOf(balanceOf(STRANGER));

  it.each([
    ["the sender", alice.address],
    ["the recipient", CONTRACT],
    ["the proposer, from shanghai on", PROPOSER],
    ["a precompiled contract", new Uint8Array(20).fill(1, 19)],
  ])("%s", (_, address) => {
    expect(gasOf(balanceOf(address))).toBe(cold - COLD_ACCOUNT + WARM);
  });

  it("the sender, for code that the transaction itself sets for its recipient", () => {
    const carol = person(7);
    const unsigned = { chainId: 0n, address: CONTRACT, nonce: 0n };
    const { r, s, parity } = sign(authorizationHash(unsigned), carol.key);
    const authorizationList = [{ ...unsigned, r, s, yParity: BigInt(parity) }];
    const usedBy = (address: Uint8Array) => {
      const tx = made("EthereumSetCode", { to: carol.address, authorizationList });
      return applyTransaction(tx, createWorld({ code: code(balanceOf(address)) })).receipt.gasUsed;
    };
    expect(usedBy(STRANGER) - usedBy(alice.address)).toBe(COLD_ACCOUNT - WARM);
  });

  it("neither the proposer before shanghai, nor other accounts", () => {
    const fork = { fork: "kore" };
    expect(gasOf(balanceOf(PROPOSER), {}, fork)).toBe(gasOf(balanceOf(STRANGER), {}, fork));
    expect(gasOf(balanceOf(bob.address))).toBe(cold);
  });

  it("addresses and slots of the access list", () => {
    const accessList = [{ address: STRANGER, storageKeys: [] }];
    expect(gasOf(balanceOf(STRANGER), { accessList })).toBe(cold + LISTED_ADDRESS - COLD_ACCOUNT + WARM);
    const sload = "60055450";
    const slot = new Uint8Array(32).fill(5, 31);
    const listed = [{ address: CONTRACT, storageKeys: [slot] }];
    const saved = gasOf(sload) - gasOf(sload, { accessList: listed });
    expect(saved).toBe(COLD_SLOT - WARM - LISTED_ADDRESS - LISTED_SLOT);
  });
});

describe("reset after each transaction are", () => {
  it("warm accesses: the next transaction pays again", () => {
    const world = createWorld({ code: code(balanceOf(STRANGER)) });
    const gas = [0n, 1n].map(
      (nonce) => applyTransaction(made("EthereumAccessList", { to: CONTRACT, nonce }), world).receipt.gasUsed,
    );
    expect(gas[1]).toBe(gas[0]);
  });

  it("transient storage and logs", () => {
    // logs transient slot 0, then sets it
    const world = createWorld({ code: code("60005c60005260206000a0600760005d") });
    const logs = [0n, 1n].map(
      (nonce) => applyTransaction(made("EthereumAccessList", { to: CONTRACT, nonce }), world).receipt.logs,
    );
    for (const each of logs)
      expect(each).toEqual([{ address: CONTRACT, topics: [], data: new Uint8Array(32) }]);
  });
});

it("increments the sender's nonce, and refunds unused gas", () => {
  const world = createWorld();
  const before = world.state.balance(alice.address);
  const { fee } = applyTransaction(made("EthereumAccessList", { to: STRANGER, gas: 90_000n }), world);
  expect(world.state.nonce(alice.address)).toBe(1n);
  expect(before - world.state.balance(alice.address)).toBe(fee);
});

it("increments the nonce of a sender of invalid authorizations by one", () => {
  const authorization = { chainId: 0n, address: STRANGER, nonce: 0n, yParity: 0n, r: 1n, s: 1n };
  const world = createWorld();
  applyTransaction(made("EthereumSetCode", { to: STRANGER, authorizationList: [authorization] }), world);
  expect(world.state.nonce(alice.address)).toBe(1n);
});

it("delegates only accounts that signed an authorization for this chain or for any", () => {
  const signed = (by: Person, chainId: bigint) => {
    const unsigned = { chainId, address: CONTRACT, nonce: 0n };
    const { r, s, parity } = sign(authorizationHash(unsigned), by.key);
    return { ...unsigned, r, s, yParity: BigInt(parity) };
  };
  const others = [person(7), person(8), person(9)] as const;
  const world = createWorld();
  const { chainId } = world.context.rules;
  const list = others.map((by, i) => signed(by, [chainId, 0n, chainId + 1n][i] as bigint));
  applyTransaction(made("EthereumSetCode", { to: STRANGER, gas: 500_000n, authorizationList: list }), world);
  const codes = others.map(({ address }) => bytesToHex(world.state.code(address)));
  expect(codes).toEqual([`0xef0100${"dd".repeat(20)}`, `0xef0100${"dd".repeat(20)}`, "0x"]);
});
