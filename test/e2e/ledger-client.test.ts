import LedgerEthereum from "@ledgerhq/hw-app-eth";
import LedgerTransport from "@ledgerhq/hw-transport";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../src/protocol/primitives/hex.ts";
import { payloadToSign } from "../../src/wallet/hardware/signable.ts";
import { FakeLedger } from "../../src/wallet/hardware/testing/fake-ledger.ts";
import { plugged } from "../../src/wallet/hardware/testing/plugged.ts";
import { CHAIN_ID, transaction } from "../../src/wallet/hardware/testing/transactions.ts";

const PATH = "m/44'/60'/0'/0/0";
// CommonJS packages, whose default export is nested one level deeper with some loaders
const Transport = (LedgerTransport as { default?: typeof LedgerTransport }).default ?? LedgerTransport;
const Ethereum = (LedgerEthereum as { default?: typeof LedgerEthereum }).default ?? LedgerEthereum;

/** Connects the vendor's client to a simulated device without USB. */
class DirectTransport extends Transport {
  readonly #device: FakeLedger;

  constructor(device: FakeLedger) {
    super();
    this.#device = device;
  }

  override async exchange(command: Buffer): Promise<Buffer> {
    return Buffer.from(await this.#device.exchange(Uint8Array.from(command)));
  }
}

/** The same simulated device with the vendor's client and with our driver. */
async function twice() {
  const [theirs, ours] = [new FakeLedger(), new FakeLedger()];
  const client = new Ethereum(new DirectTransport(theirs));
  const { wallet } = await plugged({ "1-1": ours });
  const ledger = wallet("ledger://1-1");
  await ledger.open("");
  const { address } = await ledger.derive(PATH, true);
  for (const device of [theirs, ours]) device.log.length = 0;
  return { theirs, ours, client, ledger, address };
}

describe("Ledger's own client and our driver", () => {
  it("see the same account", async () => {
    const { client, address } = await twice();
    expect((await client.getAddress(PATH)).address.toLowerCase()).toBe(bytesToHex(address));
  });

  it.each([0, 1, 40, 190, 195, 200, 206, 207, 208, 209, 247, 248, 460, 600, 3000])(
    "send the same commands for a legacy transaction with %d bytes of data, and get the same signature",
    async (length) => {
      const { theirs, ours, client, ledger, address } = await twice();
      const tx = transaction("LegacyTransaction", { input: new Uint8Array(length).fill(7) });
      const request = { tx, chainId: CHAIN_ID, role: "sender" } as const;
      const payload = bytesToHex(payloadToSign(request, "")).slice(2);
      const signed = await client.signTransaction(PATH, payload, null);
      const [signature] = await ledger.signTransaction(address, request);
      expect([BigInt(`0x${signed.r}`), BigInt(`0x${signed.s}`)]).toEqual([signature?.r, signature?.s]);
      expect(BigInt(`0x${signed.v}`)).toBe(CHAIN_ID * 2n + 35n + BigInt(signature?.parity as number));
      expect(ours.log).toEqual(theirs.log);
    },
  );

  it.each(["EthereumAccessList", "EthereumDynamicFee"])(
    "send the same commands for a TxType%s",
    async (name) => {
      const { theirs, ours, client, ledger, address } = await twice();
      for (const length of [0, 600]) {
        const tx = transaction(name, { chainId: CHAIN_ID, input: new Uint8Array(length).fill(7) });
        const request = { tx, chainId: CHAIN_ID, role: "sender" } as const;
        const signed = await client.signTransaction(
          PATH,
          bytesToHex(payloadToSign(request, "")).slice(2),
          null,
        );
        const [signature] = await ledger.signTransaction(address, request);
        expect(BigInt(`0x${signed.v}`)).toBe(BigInt(signature?.parity as number));
      }
      expect(ours.log).toEqual(theirs.log);
    },
  );

  it.each([5, 125, 126, 480])("send the same commands for a message of %d bytes", async (length) => {
    const { theirs, ours, client, ledger, address } = await twice();
    const text = new Uint8Array(length).fill(0x61);
    const signed = await client.signPersonalMessage(PATH, bytesToHex(text).slice(2));
    const signature = await ledger.signText(address, { text, name: "Ethereum" });
    expect(bytesToHex(signature)).toBe(`0x${signed.r}${signed.s}${signed.v.toString(16)}`);
    expect(ours.log).toEqual(theirs.log);
  });

  it("are rejected alike", async () => {
    const { theirs, client } = await twice();
    theirs.owner = () => false;
    await expect(client.signPersonalMessage(PATH, "61")).rejects.toMatchObject({ statusCode: 0x6985 });
    theirs.isLocked = true;
    await expect(client.getAddress(PATH)).rejects.toMatchObject({ name: "LockedDeviceError" });
  });
});
