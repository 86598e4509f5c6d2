import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOfPublicKey, recoverPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { partsOf } from "../../../protocol/transaction/testing/arbitraries.ts";
import { TRANSACTION_TYPES } from "../../../protocol/transaction/type-table.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { messageHash } from "../../signed-message.ts";
import type { Wallet, WalletAccount } from "../../wallet.ts";
import { type FakeApp, FakeLedger } from "../testing/fake-ledger.ts";
import { plugged } from "../testing/plugged.ts";
import { CHAIN_ID, fromPayload, RECIPIENT, signerOf, transaction } from "../testing/transactions.ts";
import { tailBytes } from "./apdu.ts";
import { commandToReports, ResponseAssembler } from "./framing.ts";

const URL_OF_DEVICE = "ledger://1-1";
const PATHS = { ethereum: "m/44'/60'/0'/0/0", kaia: "m/44'/8217'/0'/0/0" };

interface Vector {
  readonly name: string;
  readonly exchanges: readonly { readonly req: string; readonly res: string }[];
}

const { cases } = JSON.parse(
  readFileSync(
    new URL("../../../../test/fixtures/vectors/hardware/ledger-ethereum-app.json", import.meta.url),
    "utf8",
  ),
) as { readonly cases: readonly Vector[] };

/** An open device with one account pinned. */
async function opened(
  device: FakeLedger,
  path = PATHS.ethereum,
): Promise<{ wallet: Wallet; account: WalletAccount }> {
  const { wallet } = await plugged({ "1-1": device });
  const ledger = wallet(URL_OF_DEVICE);
  await ledger.open("");
  return { wallet: ledger, account: await ledger.derive(path, true) };
}

describe("framing", () => {
  it("round-trips any command", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 5, maxLength: 2000 }), (command) => {
        const assembler = new ResponseAssembler();
        const parts = commandToReports(command).map((report) => assembler.push(report));
        expect(parts.filter((part) => part !== undefined)).toEqual([command]);
      }),
    );
  });

  it.each([
    ["another channel", 0],
    ["another tag", 2],
    ["a report out of order", 4],
  ])("refuses %s", (_, at) => {
    const report = commandToReports(new Uint8Array(5))[0] as Uint8Array;
    report[at] = (report[at] as number) + 1;
    expect(() => new ResponseAssembler().push(report)).toThrow(
      expect.objectContaining({ code: "DEVICE_ANSWER" }),
    );
  });
});

describe("the published exchanges with Ledger's Ethereum app", () => {
  const stream = ({ exchanges }: Vector): Uint8Array =>
    concat(...exchanges.map(({ req }) => hexToBytes(`0x${req.slice(10)}`)));
  const flat = ({ exchanges }: Vector): string[] => exchanges.flatMap(({ req, res }) => [req, res]);
  const named = (start: string): [string, Vector][] =>
    cases.filter(({ name }) => name.startsWith(start)).map((one) => [one.name, one]);

  it.each(named("address 44'"))("%s", async (name, vector) => {
    const device = new FakeLedger();
    await opened(device, `m/${name.slice("address ".length)}`);
    expect(device.log.slice(-2)).toEqual(flat(vector));
  });

  it.each([...named("legacy"), ...named("EIP-1559")])("%s", async (_, vector) => {
    const device = new FakeLedger();
    const { wallet, account } = await opened(device);
    device.log.length = 0;
    const tx = fromPayload(stream(vector).subarray(21));
    expect(await signerOf(wallet, account.address, tx)).toEqual(account.address);
    expect(device.log).toEqual(flat(vector));
  });

  it.each(named("personal message"))("%s", async (_, vector) => {
    const device = new FakeLedger();
    const { wallet, account } = await opened(device);
    device.log.length = 0;
    const message = { text: stream(vector).subarray(25), name: "Ethereum" } as const;
    const signature = await wallet.signText(account.address, message);
    expect(device.log).toEqual(flat(vector));
    const parity = (signature[64] as number) - 27;
    const signer = recoverPublicKey(messageHash(message), signature.subarray(0, 64), parity);
    expect(addressOfPublicKey(signer)).toEqual(account.address);
  });

  it("configuration, refusal and lock", async () => {
    const device = new FakeLedger();
    const { wallet, account } = await opened(device);
    expect(device.log.slice(0, 2)).toEqual(flat(cases[0] as Vector));
    device.owner = () => false;
    const request = { tx: transaction("LegacyTransaction"), chainId: 1n, role: "sender" } as const;
    await expect(wallet.signTransaction(account.address, request)).rejects.toThrow("refused on the device");
    expect(device.log.at(-1)).toBe("6985");
    device.isLocked = true;
    await expect(wallet.derive(PATHS.ethereum, false)).rejects.toThrow("the device is locked");
    expect(device.log.at(-1)).toBe("5515");
  });
});

/** The types that each app of a Ledger signs for their sender. */
const SIGNABLE: Readonly<Record<Exclude<FakeApp, "none">, RegExp>> = {
  ethereum: /^TxType(LegacyTransaction|EthereumAccessList|EthereumDynamicFee)$/,
  klaytn:
    /^TxType(FeeDelegated)?(LegacyTransaction|ValueTransfer(Memo)?|SmartContract\w+|Cancel)(WithRatio)?$/,
  "klaytn-1.0":
    /^TxType(FeeDelegated)?(LegacyTransaction|ValueTransfer(Memo)?|SmartContract\w+|Cancel)(WithRatio)?$/,
};

describe.each(Object.entries(SIGNABLE))("the app %s", (app, signable) => {
  const path = app === "ethereum" ? PATHS.ethereum : PATHS.kaia;

  it.each(TRANSACTION_TYPES.map((type) => [type.name, type] as const))("%s", async (name, type) => {
    const device = new FakeLedger({ app: app as FakeApp });
    const { wallet, account } = await opened(device, path);
    const parts = fc.tuple(partsOf(type), fc.uint8Array({ maxLength: 600 }));
    await fc.assert(
      fc.asyncProperty(parts, async ([fields, input]) => {
        const own = type.fields.some(({ property }) => property === "input") ? { input } : {};
        const from = type.ethereum ? {} : { from: account.address };
        const chainId = type.code > 0xff ? { chainId: CHAIN_ID } : {};
        const tx = createTransaction({ ...fields, ...own, ...from, ...chainId, signatures: [] });
        const signed = signerOf(wallet, account.address, tx);
        if (signable.test(name)) expect(await signed).toEqual(account.address);
        else await expect(signed).rejects.toThrow(`cannot sign ${name}`);
      }),
      { numRuns: 10 },
    );
  });

  it("signs neither as fee payer nor bare hashes", async () => {
    const { wallet, account } = await opened(new FakeLedger({ app: app as FakeApp }), path);
    const tx = transaction("FeeDelegatedValueTransfer", { from: RECIPIENT, feePayer: account.address });
    await expect(
      wallet.signTransaction(account.address, { tx, chainId: CHAIN_ID, role: "feePayer" }),
    ).rejects.toThrow(/not supported: .* cannot sign TxTypeFeeDelegatedValueTransfer/);
    await expect(wallet.signHash(account.address, new Uint8Array(32))).rejects.toThrow("not supported");
  });
});

describe("a legacy transaction in chunks", () => {
  it("never has only chain id, 0, 0 in the last chunk", async () => {
    const device = new FakeLedger();
    const { wallet, account } = await opened(device);
    for (const chainId of [1n, 1001n, 2019n, 8217n, 2n ** 31n]) {
      for (let length = 180; length < 230; length += 3) {
        device.log.length = 0;
        const tx = transaction("LegacyTransaction", { input: new Uint8Array(length).fill(7) });
        expect(await signerOf(wallet, account.address, tx, chainId)).toEqual(account.address);
        const last = device.log.at(-2) as string;
        if (device.log.length > 2) expect(last.length / 2 - 5).toBeGreaterThan(tailBytes(chainId));
      }
    }
  });
});

describe("the Ethereum app by version", () => {
  it("signs EIP-7702 since 1.17.0", async () => {
    const { wallet, account } = await opened(new FakeLedger({ version: [1, 17, 0] }));
    const tx = transaction("EthereumSetCode", { chainId: CHAIN_ID });
    expect(await signerOf(wallet, account.address, tx)).toEqual(account.address);
  });

  it.each([
    [
      [1, 0, 2],
      "LegacyTransaction",
      "Ledger's Ethereum app before 1.0.3 cannot sign TxTypeLegacyTransaction",
    ],
    [
      [1, 8, 9],
      "EthereumDynamicFee",
      "Ledger's Ethereum app before 1.9.0 cannot sign TxTypeEthereumDynamicFee",
    ],
  ] as const)("%s does not sign %s", async (version, name, text) => {
    const { wallet, account } = await opened(new FakeLedger({ version: [...version] }));
    await expect(signerOf(wallet, account.address, transaction(name))).rejects.toThrow(text);
    expect(await wallet.status()).toEqual({ status: `Ethereum app v${version.join(".")} online` });
  });
});
