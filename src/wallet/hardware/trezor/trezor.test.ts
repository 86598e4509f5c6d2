import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOfPublicKey, recoverPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { partsOf } from "../../../protocol/transaction/testing/arbitraries.ts";
import { TRANSACTION_TYPES } from "../../../protocol/transaction/type-table.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { messageHash } from "../../signed-message.ts";
import type { Wallet, WalletAccount } from "../../wallet.ts";
import { FakeTrezor, type FakeTrezorOptions } from "../testing/fake-trezor.ts";
import { type Plugged, plugged } from "../testing/plugged.ts";
import { CHAIN_ID, signerOf, transaction } from "../testing/transactions.ts";
import { MessageAssembler, messageToReports } from "./framing.ts";
import { Fields, textField, uintField } from "./protobuf.ts";

/** The first account with the passphrase `secret`, from the published exchanges. */
const HIDDEN = "0x5a3ff2fdd3a2d2f087845f025935b446b6236d3c";
const OWN = "m/44'/60'/0'/0/0";
const url = "trezor://1-1";

interface Note {
  readonly type: number;
  readonly body: string;
}
interface Vector {
  readonly name: string;
  readonly device: { readonly pin?: string; readonly passphrase?: string };
  readonly exchanges: readonly { readonly req: Note; readonly res: Note }[];
}
const vectors = JSON.parse(
  readFileSync(new URL("../../../../test/fixtures/vectors/hardware/trezor-v1.json", import.meta.url), "utf8"),
) as { readonly cases: readonly Vector[]; readonly frames: { readonly hex: readonly string[] } };
const flat = (vector: Vector): Note[] => vector.exchanges.flatMap(({ req, res }) => [req, res]);
const vector = (name: string): Vector => vectors.cases.find((one) => one.name === name) as Vector;

async function opened(
  options: FakeTrezorOptions = {},
): Promise<Plugged & { device: FakeTrezor; trezor: Wallet; account: WalletAccount }> {
  const device = new FakeTrezor(options);
  const all = await plugged({ "1-1": device });
  const trezor = all.wallet(url);
  await trezor.open("");
  return { ...all, device, trezor, account: await trezor.derive(OWN, true) };
}

describe("framing", () => {
  it("round-trips any message", () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffff }), fc.uint8Array({ maxLength: 3000 }), (type, body) => {
        const assembler = new MessageAssembler();
        const parts = messageToReports({ type, body }).map((report) => assembler.push(report));
        expect(parts.filter((part) => part !== undefined)).toEqual([{ type, body }]);
      }),
    );
  });

  it("equals the published Initialize", () => {
    const reports = messageToReports({ type: 0, body: new Uint8Array(0) });
    expect(reports.map((report) => bytesToHex(report).slice(2))).toEqual(vectors.frames.hex);
  });

  it("rejects the newest models, which use another protocol", () => {
    expect(() => new MessageAssembler().push(new Uint8Array(64).fill(4))).toThrow("not supported");
  });

  it("round-trips numbers and texts of fields, and rejects truncated ones", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), fc.string(), (value, text) => {
        const body = concat(uintField(3, value), textField(300, text));
        const fields = new Fields(body);
        expect([fields.uint(3), fields.text(300)]).toEqual([value, text]);
        expect(() => new Fields(concat(body, Uint8Array.of(0x12, 1)))).toThrow("cannot be read");
      }),
    );
  });
});

describe("the published exchanges", () => {
  it.each([
    "sign legacy chain 2019 data 0",
    "sign legacy chain 2019 data 40",
    "sign legacy chain 2019 data 1500",
  ])("%s", async (name) => {
    const { device, trezor, account } = await opened();
    device.log.length = 0;
    const length = Number(name.split(" ").at(-1));
    const input = new Uint8Array(length).fill(7);
    const tx = transaction("LegacyTransaction", { input });
    expect(await signerOf(trezor, account.address, tx)).toEqual(account.address);
    expect(device.log).toEqual(flat(vector(name)));
  });

  it("initialize, address and message", async () => {
    const { device, trezor, account } = await opened();
    expect(device.log.slice(0, 2)).toEqual(flat(vector("initialize")));
    expect(device.log.slice(-2)).toEqual(flat(vector("address")));
    const message = { text: new TextEncoder().encode("hello"), name: "Ethereum" } as const;
    const signature = await trezor.signText(account.address, message);
    expect(device.log.slice(-2)).toEqual(flat(vector("sign message hello")));
    const parity = (signature[64] as number) - 27;
    const signer = recoverPublicKey(messageHash(message), signature.subarray(0, 64), parity);
    expect(addressOfPublicKey(signer)).toEqual(account.address);
  });

  it("PIN and passphrase", async () => {
    const name = "open: PIN then passphrase";
    const device = new FakeTrezor({ pin: "1234", passphrase: true });
    const { wallet } = await plugged({ "1-1": device });
    await expect(wallet(url).open("")).rejects.toThrow("trezor: pin needed");
    await expect(wallet(url).open("7894")).rejects.toThrow("trezor: passphrase needed");
    await wallet(url).open("secret");
    expect(device.log.slice(2)).toEqual(flat(vector(name)));
    const { address } = await wallet(url).derive(OWN, true);
    expect(bytesToHex(address)).toBe(HIDDEN);
  });

  it("a wrong PIN", async () => {
    const device = new FakeTrezor({ pin: "1234" });
    const { wallet } = await plugged({ "1-1": device });
    await expect(wallet(url).open("")).rejects.toThrow("pin needed");
    await expect(wallet(url).open("1111")).rejects.toThrow("trezor: PIN invalid");
    expect(device.log.slice(2)).toEqual(flat(vector("open: wrong PIN")));
    expect(await wallet(url).status()).toEqual({
      status: "Failed: trezor: PIN invalid",
      failure: "trezor: PIN invalid",
    });
    await expect(wallet(url).open("")).rejects.toThrow("pin needed");
    await wallet(url).open("7894");
    expect(await wallet(url).status()).toEqual({ status: "Trezor v1.12.1 'dev' online" });
  });
});

describe("opening", () => {
  it.each([true, false])(
    "requests PIN and passphrase, firmware that checks on a ping: %s",
    async (checksAtPing) => {
      const device = new FakeTrezor({ pin: "4711", passphrase: true, checksAtPing, label: "mine" });
      const { wallet } = await plugged({ "1-1": device });
      expect(await wallet(url).status()).toEqual({ status: "Closed" });
      await expect(wallet(url).open("")).rejects.toThrow("trezor: pin needed");
      expect(await wallet(url).status()).toEqual({ status: "Trezor v1.12.1 'mine' waiting for PIN" });
      await expect(wallet(url).derive(OWN, true)).rejects.toThrow("wallet closed");
      await expect(wallet(url).open("0000")).rejects.toThrow("positions on the keypad");
    },
  );

  it("accepts an empty passphrase, and one that is given immediately", async () => {
    const { wallet } = await plugged({
      "1-1": new FakeTrezor({ passphrase: true }),
      "1-2": new FakeTrezor({ passphrase: true }),
    });
    await expect(wallet(url).open("")).rejects.toThrow("trezor: passphrase needed");
    await wallet(url).open("");
    await wallet("trezor://1-2").open("secret");
    const plain = await wallet(url).derive(OWN, true);
    const hidden = await wallet("trezor://1-2").derive(OWN, true);
    expect(bytesToHex(plain.address)).toBe("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    expect(bytesToHex(hidden.address)).toBe(HIDDEN);
  });

  it("is required again after the device has locked itself", async () => {
    const device = new FakeTrezor({ pin: "1234" });
    const { wallet } = await plugged({ "1-1": device });
    await expect(wallet(url).open("")).rejects.toThrow("pin needed");
    await wallet(url).open("7894");
    const { address } = await wallet(url).derive(OWN, true);
    device.lock();
    const signed = signerOf(wallet(url), address, transaction("LegacyTransaction"));
    await expect(signed).rejects.toThrow("trezor: the device is locked; open the wallet again");
    expect(device.log.at(-2)).toEqual({ type: 20, body: "" });
    expect(wallet(url).accounts()).toEqual([]);
    await expect(wallet(url).open("")).rejects.toThrow("pin needed");
  });
});

describe("transactions", () => {
  it.each(TRANSACTION_TYPES.map((type) => [type.name, type] as const))("%s", async (name, type) => {
    const { trezor, account } = await opened();
    const parts = fc.tuple(partsOf(type), fc.uint8Array({ maxLength: 3000 }));
    await fc.assert(
      fc.asyncProperty(parts, async ([fields, input]) => {
        const own = type.fields.some(({ property }) => property === "input") ? { input } : {};
        const chainId = type.code > 0xff ? { chainId: CHAIN_ID } : {};
        const tx = createTransaction({ ...fields, ...own, ...chainId, signatures: [] });
        const signed = signerOf(trezor, account.address, tx);
        if (type.code === 0 || type.code === 0x7802) expect(await signed).toEqual(account.address);
        else await expect(signed).rejects.toThrow(`not supported: Trezor cannot sign ${name}`);
      }),
      { numRuns: 10 },
    );
  });

  it("are signed by firmware that returns addresses as bytes", async () => {
    const { trezor, account } = await opened({ version: [1, 6, 3] });
    expect(await signerOf(trezor, account.address, transaction("LegacyTransaction"))).toEqual(
      account.address,
    );
    const deployment = transaction("LegacyTransaction", { to: undefined, input: Uint8Array.of(1) });
    expect(await signerOf(trezor, account.address, deployment)).toEqual(account.address);
  });

  it("can be refused by the user", async () => {
    const { device, trezor, account } = await opened();
    device.owner = () => false;
    const signed = signerOf(trezor, account.address, transaction("LegacyTransaction"));
    await expect(signed).rejects.toThrow("trezor: refused on the device");
    expect((await trezor.status()).status).toBe("Trezor v1.12.1 'dev' online");
  });

  it("are signed, but never messages with Kaia's own prefix", async () => {
    const { trezor, account } = await opened();
    const text = hexToBytes("0x00");
    await expect(trezor.signText(account.address, { text, name: "Klaytn" })).rejects.toThrow(
      'not supported: Trezor cannot sign messages with the prefix "Klaytn Signed Message"',
    );
  });
});
