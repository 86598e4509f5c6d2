import type { Ledger } from "../../../src/node/storage/ledger.ts";
import { EMPTY_CODE_HASH } from "../../../src/protocol/account/account.ts";
import { accountToJson } from "../../../src/protocol/account/account-json.ts";
import { accountKeyToJson } from "../../../src/protocol/account/key-json.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { leftPad } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { same } from "../vectors/vector-case.ts";
import type { RecordedAccount } from "./recording.ts";

/** Compares an account after a block with the reference's response. @throws Error if they differ */
export function accountDifference(
  { chain }: Ledger,
  height: bigint,
  address: string,
  recorded: RecordedAccount,
): void {
  const state = chain.stateAt(height);
  if (state === undefined) throw new Error("the state is not kept");
  const bytes = hexToBytes(address);
  const account = state.account(bytes);
  const code = state.code(account?.codeHash ?? EMPTY_CODE_HASH);
  const storage = Object.keys(recorded.storage ?? {}).map((slot) => {
    const digits = slot.slice(2).padStart(64, "0");
    return [slot, bytesToHex(leftPad(state.storage(bytes, hexToBytes(`0x${digits}`)), 32))];
  });
  const have = {
    account: account === undefined ? null : accountToJson(account),
    accountKey: account === undefined ? null : accountKeyToJson(account.key),
    balance: `0x${(account?.balance ?? 0n).toString(16)}`,
    nonce: `0x${(account?.nonce ?? 0n).toString(16)}`,
    ...(recorded.code !== undefined && { code: bytesToHex(code) }),
    ...(recorded.codeHash !== undefined && { codeHash: bytesToHex(keccak256(code)) }),
    ...(recorded.storage !== undefined && { storage: Object.fromEntries(storage) }),
  };
  const want = Object.fromEntries(
    Object.keys(have).map((key) => [key, recorded[key as keyof RecordedAccount]]),
  );
  same(have, want, "account");
}
