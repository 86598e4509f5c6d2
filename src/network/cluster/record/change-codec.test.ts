import { describe, expect, it } from "vitest";
import { createLedger, genesisOf } from "../../../ledger/chain/testing/ledger.ts";
import { PackedSlots } from "../../../ledger/state/packed-slots.ts";
import type { AccountChange } from "../../../ledger/state/state.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { type Account, EMPTY_CODE_HASH, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import { encodeStoredReceipts } from "../../../protocol/block/receipt-codec.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { type BlockChange, decodeChange, encodeChange } from "./change-codec.ts";

const SENDER = wallet(1);
const LEGACY = "TxTypeLegacyTransaction";
const CODE = Uint8Array.of(0x60, 0x00);

function contract(last: number, code = CODE): AccountChange {
  const account: Account = {
    ...{ type: "sca", nonce: 1n, balance: 0n, humanReadable: false, key: { type: "fail" } },
    ...{ storageRoot: EMPTY_ROOT, codeHash: keccak256(code), codeInfo: 0x10 },
  };
  const storage = [{ slot: new Uint8Array(32).fill(last), value: Uint8Array.of(7) }];
  return { address: new Uint8Array(20).fill(last), account, storageCleared: false, storage };
}

async function change(changes: BlockChange["changes"]): Promise<BlockChange> {
  const ledger = await createLedger(genesisOf({}));
  const { block, receipts } = await ledger.add();
  return { block, receipts, senders: [], changes };
}

describe("decodeChange", () => {
  it("reads what was written", async () => {
    const changes = { accounts: [contract(1)], codes: [{ hash: keccak256(CODE), code: CODE }] };
    const { accounts, codes } = decodeChange(encodeChange(await change(changes)), keccak256).changes;
    const listed = accounts.map((account) => ({ ...account, storage: [...account.storage] }));
    expect({ accounts: listed, codes }).toEqual(changes);
  });

  it("keeps slots packed: a record may have a million", async () => {
    const payload = encodeChange(await change({ accounts: [contract(1)], codes: [] }));
    expect(decodeChange(payload, keccak256).changes.accounts[0]?.storage).toBeInstanceOf(PackedSlots);
  });

  it("leaves out codes of unchanged accounts, and duplicates", async () => {
    const [own, other] = [
      { hash: keccak256(CODE), code: CODE },
      { hash: EMPTY_CODE_HASH, code: CODE.with(0, 1) },
    ];
    const payload = encodeChange(await change({ accounts: [contract(1)], codes: [other, own, own] }));
    expect(decodeChange(payload, keccak256).changes.codes).toEqual([own]);
  });

  it("rejects duplicate accounts and slots", async () => {
    const twice = encodeChange(await change({ accounts: [contract(1), contract(1)], codes: [] }));
    expect(() => decodeChange(twice, keccak256)).toThrow("an account stands in it twice");
    const one = contract(1);
    const storage = [...one.storage, ...one.storage];
    const slots = encodeChange(await change({ accounts: [{ ...one, storage }], codes: [] }));
    expect(() => decodeChange(slots, keccak256)).toThrow("a slot stands in it twice");
  });

  it("rejects receipts without transactions, and logs that the gas cannot pay for, before decoding them", async () => {
    const none = await change({ accounts: [], codes: [] });
    const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(0) };
    const receipt = { status: 1, gasUsed: 0n, bloom: new Uint8Array(256), logs: [] } as unknown as Receipt;
    const more = encodeChange(none, encodeStoredReceipts([receipt]));
    expect(() => decodeChange(more, keccak256)).toThrow("it has not one receipt for each transaction");
    const ledger = await createLedger(genesisOf({ [bytesToHex(SENDER.address)]: 10n ** 20n }));
    const { block, receipts } = await ledger.add(
      transfer(SENDER, { nonce: 0n, input: new Uint8Array(0) }, 2019n, LEGACY),
    );
    const logs = Array.from({ length: 113 }, () => log); // 21,000 gas twice are 112
    const one = receipts[0] as Receipt;
    const encode = (count: number) =>
      encodeChange({
        ...none,
        block,
        receipts: [{ ...one, logs: logs.slice(0, count) }],
        senders: [SENDER.address],
      });
    expect(() => decodeChange(encode(113), keccak256)).toThrow("it has more logs than its gas pays for");
    expect(decodeChange(encode(112), keccak256).receipts[0]?.logs).toHaveLength(112);
  });

  it("rejects more codes than a block can have", async () => {
    const codes = Array.from({ length: (1 << 16) + 1 }, () => ({
      hash: EMPTY_CODE_HASH,
      code: Uint8Array.of(1),
    }));
    const payload = encodeChange(await change({ accounts: [], codes }));
    let hashed = 0;
    const count = () => {
      hashed++;
      return EMPTY_CODE_HASH;
    };
    expect(() => decodeChange(payload, count)).toThrow("more than a block can");
    expect(hashed).toBe(1 << 16);
  });
});
