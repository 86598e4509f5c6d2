import { describe, expect, it } from "vitest";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { type Bridge, RemoteCallError } from "../bridge.ts";
import { complete } from "../sandbox/complete.ts";
import { helpText } from "../sandbox/help.ts";
import { createCatalogue } from "./catalogue.ts";
import { addHelpers } from "./helpers.ts";
import { createNamespaces, type MethodFunction, type Namespace } from "./namespaces.ts";

const ADDRESS = `0x${"12".repeat(20)}`;

/** A node that returns results from a table, and a user who types prepared inputs. */
function setUp(answers: Record<string, (params: readonly Json[]) => Json>, typed: string[] = []) {
  const calls: [string, readonly Json[]][] = [];
  const shown: string[] = [];
  const bridge: Bridge = {
    call(method, params) {
      calls.push([method, params]);
      return answers[method]?.(params) ?? null;
    },
    secret(question, twice) {
      shown.push(twice ? `${question}(twice)` : question);
      return typed.shift() as string;
    },
    sleep() {},
    print: (text) => void shown.push(text),
  };
  const modules = ["admin", "chain", "eth", "kaia", "personal", "txpool"];
  const catalogue = createCatalogue(modules);
  const spaces = createNamespaces(catalogue, bridge);
  addHelpers(spaces, bridge);
  const fn = (name: string): MethodFunction => {
    const [module = "", member = ""] = name.split(".");
    return (spaces[module] as Namespace)[member] as MethodFunction;
  };
  return { calls, shown, catalogue, spaces, fn };
}

describe("calls", () => {
  it("default to the newest block, and fill in nothing else", () => {
    const { calls, fn } = setUp({ eth_getBalance: () => "0x5" });
    expect(fn("eth.getBalance")(ADDRESS)).toBe(5n);
    expect(fn("eth.getBalance")(ADDRESS, 7)).toBe(5n);
    expect(calls.map(([, params]) => params[1])).toEqual(["latest", "0x7"]);
    expect(() => fn("eth.getBalance")()).toThrow("missing argument address");
  });

  it("choose the method of a shortcut by its argument", () => {
    const { calls, fn } = setUp({});
    fn("eth.getBlock")(1);
    fn("klay.getBlock")(`0x${"ab".repeat(32)}`, true);
    expect(calls).toEqual([
      ["eth_getBlockByNumber", ["0x1", false]],
      ["kaia_getBlockByHash", [`0x${"ab".repeat(32)}`, true]],
    ]);
  });

  it("have the spellings of the Go console", () => {
    const { calls, spaces, fn } = setUp({ kaia_gasPrice: () => "0x5", kaia_rewardbase: () => ADDRESS });
    const kaia = spaces["kaia"] as Namespace;
    expect([kaia["gasPrice"], kaia["rewardbase"]]).toEqual([5n, ADDRESS]);
    expect((fn("kaia.getGasPrice") as () => unknown)()).toBe(5n);
    expect(Object.keys(kaia)).not.toContain("getGasPrice");
    fn("kaia.getBlockWithConsensusInfo")(`0x${"ab".repeat(32)}`);
    fn("eth.getBlockUncleCount")(1);
    expect(calls.slice(-2)).toEqual([
      ["kaia_getBlockWithConsensusInfoByHash", [`0x${"ab".repeat(32)}`]],
      ["eth_getUncleCountByBlockNumber", ["0x1"]],
    ]);
    const mixed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    expect(fn("kaia.toChecksumAddress")(mixed.toLowerCase())).toBe(mixed);
    expect(fn("kaia.isChecksumAddress")(mixed.toLowerCase())).toBe(false);
    expect(fn("kaia.padLeft")("1", 4)).toBe("0001");
  });

  it("reach modules that a node describes without listing them", () => {
    const method = { name: "miner_stop", params: [], result: { name: "boolean", schema: {} } };
    const { modules, methods } = createCatalogue(["eth"], { methods: [method] });
    expect(modules).toEqual(["eth", "miner"]);
    expect([...methods.keys()]).toEqual(["miner_stop"]);
  });

  it("pass through modules that only other nodes have", () => {
    const { calls, spaces } = setUp({ admin_peers: () => [], admin_addPeer: () => true });
    const admin = spaces["admin"] as { peers: unknown; addPeer(url: string): unknown };
    expect(admin.peers).toEqual([]);
    expect(admin.addPeer("kni://x")).toBe(true);
    expect(calls).toHaveLength(2);
  });

  it("wait for blocks", () => {
    let height = 5;
    const { spaces } = setUp({
      kaia_blockNumber: () => `0x${(height++).toString(16)}`,
      eth_blockNumber: () => `0x${(height++).toString(16)}`,
    });
    const { sleepBlocks } = spaces["admin"] as { sleepBlocks(blocks: number, seconds?: number): boolean };
    expect(sleepBlocks(2)).toBe(true);
    expect(sleepBlocks(1000, 0.1)).toBe(false);
  });
});

describe("secrets", () => {
  it("are prompted for when omitted or null, new ones twice, and not when given", () => {
    const { calls, shown, fn } = setUp({}, ["a", "b", "c", "d", "e"]);
    fn("personal.newAccount")();
    fn("personal.unlockAccount")(ADDRESS, null, 60);
    fn("personal.replaceRawKey")();
    fn("personal.newAccount")("given");
    expect(calls.map(([, params]) => params)).toEqual([
      ["a"],
      [ADDRESS, "b", 60],
      ["c", "d", "e"],
      ["given"],
    ]);
    expect(shown).toEqual([
      "Passphrase: (twice)",
      `Unlock account ${ADDRESS}\n`,
      "Passphrase: ",
      "Private key: ",
      "Passphrase: ",
      "New passphrase: (twice)",
    ]);
  });

  it("are not prompted for when a device or an external signer signs", () => {
    const wallet = (url: string) => [{ url, status: "", accounts: [{ address: ADDRESS, url }] }];
    const tx = { from: ADDRESS.toUpperCase().replace("0X", "0x"), to: ADDRESS, value: 1 };
    const send = (url: string, typed: string[] = []) => {
      const { calls, fn } = setUp({ personal_listWallets: () => wallet(url) }, typed);
      fn("personal.sendTransaction")(tx);
      return calls.at(-1)?.[1][1];
    };
    expect(send("ledger://1")).toBe("");
    expect(send("extapi:///run/clef.ipc")).toBe("");
    expect(send("keystore:///keys/a", ["sesame"])).toBe("sesame");
  });

  it("of a hardware wallet are prompted for on demand", () => {
    const replies: (string | null)[] = ["trezor: pin needed", "trezor: passphrase needed", null];
    const openWallet = () => {
      const message = replies.shift();
      if (typeof message === "string") throw new RemoteCallError({ message });
      return null;
    };
    const { calls, shown, fn } = setUp({ personal_openWallet: openWallet }, ["1379", "sesame"]);
    fn("personal.openWallet")("trezor://1");
    expect(calls.map(([, params]) => params)).toEqual([
      ["trezor://1"],
      ["trezor://1", "1379"],
      ["trezor://1", "sesame"],
    ]);
    expect(shown[0]).toContain("7 | 8 | 9");
  });
});

describe("help and completion", () => {
  it("derive from the declarations", () => {
    const { catalogue, spaces, fn } = setUp({});
    expect(helpText(catalogue, spaces)).toMatch(/^ {2}chain, kaia, klay {2,}\d+ methods$/m);
    expect(helpText(catalogue, spaces, spaces["txpool"])).toContain("txpool.status\n");
    expect(helpText(catalogue, spaces, fn("eth.getBalance"))).toContain("eth.getBalance(address, [block])");
    expect(helpText(catalogue, spaces, "personal.newAccount")).toContain("Prompted for twice if omitted.");
    expect(helpText(catalogue, spaces, "eth.nosuch")).toBe("no help for eth.nosuch");
  });

  it("name members without calling the node", () => {
    const { calls, spaces } = setUp({});
    expect(complete("1 + txpool.st", spaces)).toEqual({ names: ["txpool.status"], word: "txpool.st" });
    expect(complete("klay.getBlockT", spaces).names).toContain("klay.getBlockTransactionCount");
    expect(complete("eth.accounts.le", spaces).names).toEqual([]);
    expect(complete("pers", spaces).names).toEqual(["personal"]);
    expect(calls).toEqual([]);
  });
});
