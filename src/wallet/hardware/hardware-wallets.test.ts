import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { FakeKeys } from "./testing/fake-keys.ts";
import { FakeLedger } from "./testing/fake-ledger.ts";
import { FakeTrezor } from "./testing/fake-trezor.ts";
import { type Plugged, plugged } from "./testing/plugged.ts";
import { signerOf } from "./testing/transactions.ts";
import { addressAt, OWN, TX, URL_OF_LEDGER, withLedger } from "./testing/with-ledger.ts";

const statuses = ({ backend }: Plugged) =>
  Promise.all(backend.wallets().map(async (wallet) => `${wallet.url} ${(await wallet.status()).status}`));

describe("devices", () => {
  it("become wallets within a second", async () => {
    const all = await plugged({});
    expect(all.backend.wallets()).toEqual([]);
    all.bus.plug("1-2", new FakeTrezor());
    all.bus.plug("1-1", new FakeLedger());
    await all.runtime.advance(1000);
    expect(await statuses(all)).toEqual(["ledger://1-1 Closed", "trezor://1-2 Closed"]);
    all.bus.unplug("1-2");
    await all.runtime.advance(1000);
    expect(await statuses(all)).toEqual(["ledger://1-1 Closed"]);
    expect(all.lines.join("")).toContain("hardware wallet disconnected url=trezor://1-2");
  });

  it("are listed again after a failure", async () => {
    const { bus, runtime, backend, lines } = await plugged({});
    bus.failure = new Error("no such bus");
    bus.plug("1-1", new FakeLedger());
    await runtime.advance(5000);
    expect(backend.wallets()).toEqual([]);
    expect(lines.filter((line) => line.includes("no such bus"))).toHaveLength(1);
    bus.failure = undefined;
    await runtime.advance(1000);
    expect(backend.wallets()).toHaveLength(1);
  });

  it("sign independently of each other", async () => {
    const other = new FakeLedger({
      keys: new FakeKeys("legal winner thank year wave sausage worth useful legal winner thank yellow"),
    });
    const all = await plugged({ "1-1": new FakeLedger(), "1-2": other });
    const [first, second] = [all.wallet(URL_OF_LEDGER), all.wallet("ledger://1-2")];
    await Promise.all([first.open(""), second.open("")]);
    const accounts = await Promise.all([first, second].map((wallet) => wallet.derive(OWN, true)));
    let decide = (_: boolean): void => undefined;
    other.owner = () =>
      new Promise((resolve) => {
        decide = resolve;
      });
    const waiting = signerOf(second, (accounts[1] as { address: Uint8Array }).address, TX);
    expect(await signerOf(first, (accounts[0] as { address: Uint8Array }).address, TX)).toEqual(
      accounts[0]?.address,
    );
    decide(true);
    expect(await waiting).toEqual(accounts[1]?.address);
    expect(accounts[0]?.address).not.toEqual(accounts[1]?.address);
  });

  it("leave nothing open after being connected a hundred times", async () => {
    const { bus, runtime, wallet } = await plugged({});
    for (let i = 0; i < 100; i++) {
      bus.plug("1-1", new FakeLedger());
      await runtime.advance(1000);
      await wallet(URL_OF_LEDGER).open("");
      bus.unplug("1-1");
      await runtime.advance(1000);
    }
    expect([bus.opened, bus.openConnections, runtime.scheduled]).toEqual([100, 0, 1]);
  });

  it("are closed when the node stops, even while one is being opened", async () => {
    const { bus, backend, runtime, wallet } = await plugged({ "1-1": new FakeLedger() });
    const opening = expect(wallet(URL_OF_LEDGER).open("")).rejects.toThrow("wallet closed");
    await backend.close();
    await opening;
    expect([bus.openConnections, runtime.scheduled]).toEqual([0, 0]);
  });

  it("are closed when the node stops", async () => {
    const { bus, runtime, backend, ledger } = await withLedger();
    await backend.close();
    await runtime.advance(5000);
    expect([bus.openConnections, runtime.scheduled, backend.wallets()]).toEqual([0, 0, []]);
    await expect(ledger.derive(OWN, false)).rejects.toThrow("wallet closed");
  });
});

describe("an open device", () => {
  it("offers the accounts in use and the next one, from each base path", async () => {
    const { runtime, used, wallet } = await plugged({ "1-1": new FakeLedger() });
    for (const index of [0, 1]) used.add(addressAt(index));
    const ledger = wallet(URL_OF_LEDGER);
    await ledger.open("");
    await runtime.advance(0);
    const found = ledger.accounts().map(({ url }) => url.slice(URL_OF_LEDGER.length + 1));
    expect(found).toEqual([
      ...[0, 1, 2].map((i) => `m/44'/60'/0'/0/${i}`),
      "m/44'/60'/0'/0",
      "m/44'/8217'/0'/0/0",
    ]);
    used.add(addressAt(2));
    await runtime.advance(1000);
    expect(ledger.accounts().map(({ url }) => url)).toContain(`${URL_OF_LEDGER}/m/44'/60'/0'/0/3`);
  });

  it("offers Kaia's accounts while its Klaytn app is open", async () => {
    const { runtime, wallet } = await plugged({ "1-1": new FakeLedger({ app: "klaytn" }) });
    await wallet(URL_OF_LEDGER).open("");
    await runtime.advance(0);
    const [account, ...rest] = wallet(URL_OF_LEDGER).accounts();
    expect([bytesToHex(account?.address as Uint8Array), rest]).toEqual([addressAt(0, 8217), []]);
  });

  it("can be opened once, and drops its accounts when it is closed", async () => {
    const { ledger } = await withLedger();
    await expect(ledger.open("")).rejects.toThrow("wallet already open");
    await ledger.close();
    expect(await ledger.status()).toEqual({ status: "Closed" });
    expect(ledger.accounts()).toEqual([]);
  });

  it("is not disturbed by scans for others while it waits for its user", async () => {
    const { bus, device, ledger, address, runtime, backend } = await withLedger();
    let decide = (_: boolean): void => undefined;
    device.owner = () =>
      new Promise((resolve) => {
        decide = resolve;
      });
    const signed = signerOf(ledger, address, TX);
    bus.plug("1-2", new FakeTrezor());
    await runtime.advance(10_000);
    expect(backend.wallets()).toHaveLength(1);
    decide(true);
    await signed;
    await runtime.advance(2000);
    expect(backend.wallets()).toHaveLength(2);
  });

  it("reports its status while it waits for its user", async () => {
    const { device, ledger, address, runtime } = await withLedger();
    let decide = (_: boolean): void => undefined;
    device.owner = () =>
      new Promise((resolve) => {
        decide = resolve;
      });
    const signed = signerOf(ledger, address, TX);
    await runtime.advance(30_000);
    expect(await ledger.status()).toEqual({ status: "Ethereum app v1.12.1 online" });
    decide(true);
    expect(await signed).toEqual(address);
  });

  it("handles requests one after the other", async () => {
    const { ledger, address } = await withLedger();
    const signed = Array.from({ length: 5 }, () => signerOf(ledger, address, TX));
    expect(new Set((await Promise.all(signed)).map(bytesToHex)).size).toBe(1);
  });
});

describe("secrets", () => {
  it("appear in no line of the log", async () => {
    const { lines, runtime, wallet } = await plugged({
      "1-1": new FakeTrezor({ pin: "4711", passphrase: true }),
    });
    const trezor = wallet("trezor://1-1");
    for (const secret of ["", "1222", "", "4177", "hunter2-passphrase"])
      await trezor.open(secret).catch(() => undefined);
    await runtime.advance(3000);
    expect((await trezor.status()).status).toBe("Trezor v1.12.1 'dev' online");
    const log = lines.join("");
    expect(log).toContain("hardware wallet opened");
    for (const secret of ["4711", "4177", "1222", "hunter2"]) expect(log).not.toContain(secret);
  });
});
