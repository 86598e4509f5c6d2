import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { recoverSigners, withSignatures } from "../../protocol/transaction/signatures/signing.ts";
import { transactionType } from "../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../protocol/transaction/types.ts";
import { createTransaction } from "../../protocol/transaction/value.ts";
import { Passphrase } from "../passphrase.ts";
import { createRemoteSigner, type RemoteSigner, type RemoteSignerOptions } from "./remote-signer.ts";
import {
  type SignerBehaviour,
  type SignerServer,
  startSigner,
  type TransactionFields,
} from "./testing/signer-server.ts";

const key = (n: number) => new Uint8Array(32).fill(n);
const address = addressOfPublicKey(publicKeyOf(key(1)));
const chainId = 1001n;
const { timers } = systemRuntime;
const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function serve(behaviour: Partial<SignerBehaviour> = {}, port = 0): Promise<SignerServer> {
  const server = await startSigner({ api: "clef", chainId, keys: [key(1), key(2)], ...behaviour }, port);
  ended.push(() => server.stop());
  return server;
}

function connect(endpoint: string, options: Partial<RemoteSignerOptions> = {}): RemoteSigner {
  const signer = createRemoteSigner({ endpoint, timers, ...options });
  ended.push(() => signer.close());
  return signer;
}

function transaction(code: number, parts: object = {}) {
  const type = transactionType(code) as TransactionType;
  const common = {
    nonce: 7n,
    gas: 50_000n,
    gasPrice: 25n * 10n ** 9n,
    to: key(9).slice(12),
    value: 10n ** 18n,
  };
  const input = hexToBytes("0xc0ffee");
  return createTransaction({ type, ...common, input, ...parts } as Parameters<typeof createTransaction>[0]);
}
const accessList = [{ address: key(8).slice(12), storageKeys: [key(4), key(5)] }];
const legacy = transaction(0);
const request = (tx = legacy) => ({ tx, chainId, role: "sender" as const });

describe.each(["clef", "web3signer"] as const)("a signer with the API of %s", (api) => {
  it("lists its accounts under a URL without credentials", async () => {
    const server = await serve({ api });
    const signer = connect(server.url.replace("//", "//user:secret%20word@"));
    await signer.connect();
    const place = server.url.slice("http://".length);
    expect(signer.url).toBe(`extapi://${place}`);
    expect(signer.accounts().map((account) => account.url)).toEqual([signer.url, signer.url]);
    expect(signer.accounts()[0]?.address).toEqual(address);
    expect(await signer.status()).toEqual({ status: api === "clef" ? "ok [version=6.1.0]" : "ok" });
    const sent = Buffer.from(server.calls[0]?.auth?.split(" ")[1] ?? "", "base64");
    expect(String(sent)).toBe("user:secret word");
  });

  it.each([
    ["legacy", legacy],
    ["legacy that creates a contract", transaction(0, { to: undefined })],
    ["access list", transaction(0x7801, { chainId, accessList })],
    ["dynamic fee", transaction(0x7802, { chainId, accessList, maxPriorityFeePerGas: 3n })],
  ])("signs a %s transaction", async (_, tx) => {
    const server = await serve({ api });
    const made = await connect(server.url).signTransaction(address, request(tx));
    expect(recoverSigners(withSignatures(tx, made, chainId), chainId).sender).toEqual(address);
  });

  it("signs any text with Ethereum's prefix, and no other", async () => {
    const signer = connect((await serve({ api })).url);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (text) => {
        await signer.signText(address, { text, name: "Ethereum" });
      }),
      { numRuns: 20 },
    );
    await expect(signer.signText(address, { text: key(1), name: "Klaytn" })).rejects.toThrowError(
      "not supported: an external signer signs no Klaytn messages",
    );
  });

  it("reports a refusal", async () => {
    const signer = connect((await serve({ api, refuses: "request denied" })).url);
    await expect(signer.signTransaction(address, request())).rejects.toMatchObject({
      ...{ code: "SIGNER_REFUSED", message: "external signer: request denied" },
    });
  });
});

describe("a signer that lies", () => {
  const twisted = (change: object) => (fields: TransactionFields) =>
    ({ ...fields, ...change }) as TransactionFields;
  it.each<[string, Partial<SignerBehaviour>, string]>([
    [
      "another receiver",
      { twist: twisted({ to: bytesToHex(key(3).slice(12)) }) },
      "not the requested transaction",
    ],
    ["another price", { twist: twisted({ gasPrice: "0x1" }) }, "not the requested transaction"],
    [
      "another type",
      { twist: twisted({ maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x1" }) },
      "not the requested transaction",
    ],
    ["another key", { wrongKey: key(2) }, "signed by another account"],
    ["another chain", { chainId: 8217n }, "signed for another chain"],
    [
      "no transaction",
      { garble: (text) => text.replace(/"raw":"0x../, '"raw":"0x00') },
      "is not a transaction",
    ],
    ["no hex", { garble: (text) => text.replace('"raw":"0x', '"raw":"') }, "is not hex"],
    ["nothing", { garble: (text) => text.replace(/"raw":"[^"]*"/, '"raw":null') }, "is not hex"],
    ["another id", { garble: (text) => text.replace(/"id":\d+/, '"id":0') }, "is not a JSON-RPC result"],
    ["no JSON", { garble: () => "<html>" }, "is not JSON"],
    ["a bare number", { garble: () => "5" }, "is not JSON-RPC"],
    ["an endless response", { garble: (text) => text + " ".repeat(2_000_000) }, "the response is too large"],
  ])("about its signed transaction is detected: %s", async (_, behaviour, text) => {
    const server = await serve();
    const signer = connect(server.url);
    await signer.open();
    Object.assign(server, behaviour);
    await expect(signer.signTransaction(address, request())).rejects.toThrowError(text);
  });

  it("about a text's signature is detected", async () => {
    const server = await serve({ wrongKey: key(2) });
    const message = { text: key(1), name: "Ethereum" as const };
    await expect(connect(server.url).signText(address, message)).rejects.toThrowError("another account");
    server.garble = (answer) => answer.replace(/..("})/, "05$1").replace(/..("\s*})$/, "05$1");
    await expect(connect(server.url).signText(address, message)).rejects.toThrowError("another chain");
  });

  it.each([
    ["an object", { toString: 1 }, "is not a version"],
    ["lists in lists", JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`), "is not a version"],
    ["more levels than any response has", `${"[".repeat(10_000)}`, "is JSON of more than 64 levels"],
  ])("about its version is named: %s", async (_, version, text) => {
    const server = await serve();
    server.garble = (answer) =>
      answer.replace('"6.1.0"', typeof version === "string" ? version : JSON.stringify(version));
    await expect(connect(server.url).open()).rejects.toThrowError(`the external signer's response ${text}`);
  });

  it("repeats no password to the log and to callers", async () => {
    const server = await serve();
    const basic = Buffer.from("user:secret word").toString("base64");
    server.garble = (answer) =>
      answer.replace(/"result":.*}/, `"error":{"code":1,"message":"secret word, Basic ${basic}"}}`);
    const signer = connect(server.url.replace("//", "//user:secret%20word@"));
    await expect(signer.open()).rejects.toMatchObject({ message: "external signer: …, Basic …" });
  });

  it("about its accounts loses none of the known ones", async () => {
    const server = await serve();
    const signer = connect(server.url);
    await signer.open();
    server.garble = (text) => text.replace(/0x[0-9a-f]{2}/, "0x");
    await expect(signer.open()).rejects.toThrowError("has an account that is not an address");
    expect(signer.accounts().length).toBe(2);
  });
});

describe("an external signer's missing abilities", () => {
  it("are rejected without a request", async () => {
    const server = await serve();
    const signer = connect(server.url);
    const kaia = transaction(0x08, { from: address, input: undefined });
    const sign = (part: object, passphrase?: Passphrase) =>
      signer.signTransaction(address, { ...request(), ...part }, passphrase);
    await expect(sign({ tx: kaia })).rejects.toThrowError(
      "not supported: an external signer cannot sign TxTypeValueTransfer",
    );
    await expect(sign({ role: "feePayer" })).rejects.toThrowError("cannot sign as fee payer");
    await expect(sign({}, new Passphrase("pw"))).rejects.toThrowError(
      "password-operations not supported on external signers",
    );
    await expect(signer.signHash()).rejects.toThrowError("signs no bare hash");
    await expect(signer.derive()).rejects.toThrowError("operation not supported on external signers");
    expect(server.calls).toEqual([]);
    await expect(sign({}, new Passphrase(""))).resolves.toHaveLength(1);
  });

  it("are reported for an invalid endpoint", () => {
    expect(() => connect("ftp://127.0.0.1/")).toThrowError("an http or https URL or a socket's path");
  });
});

describe("an unreachable signer", () => {
  it("shows its failure, and its accounts once it is reachable", async () => {
    const gone = await serve();
    const { url } = gone;
    await gone.stop();
    const runtime = createSimulatedRuntime();
    const signer = connect(url, { timers: runtime.timers });
    await signer.connect();
    expect(signer.accounts()).toEqual([]);
    const { status, failure } = await signer.status();
    expect(status).toBe(`Failed: ${failure}`);
    expect(failure).toMatch(/^external signer does not respond: .*ECONNREFUSED/);
    await serve({}, Number(new URL(url).port));
    await runtime.advance(10_000);
    await expect.poll(() => signer.accounts().length).toBe(2);
  });

  it("times out", async () => {
    const server = await serve({ silent: true });
    const runtime = createSimulatedRuntime();
    const signer = connect(server.url, { timers: runtime.timers });
    const attempt = expect(signer.open()).rejects.toMatchObject({ code: "SIGNER_UNREACHABLE" });
    await expect.poll(() => server.calls.length).toBe(1);
    await runtime.advance(5000);
    await attempt;
    expect(runtime.scheduled).toBe(0);
  });

  it("may be on a Unix socket", async () => {
    const path = join(tmpdir(), `kairn-signer-${process.pid}.ipc`);
    const socket = createServer((peer) =>
      peer.on("data", (data) => {
        const { id, method } = JSON.parse(String(data));
        const result = method === "account_list" ? [bytesToHex(address)] : "6.1.0";
        peer.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
      }),
    ).listen(path);
    ended.push(async () => void socket.close());
    const signer = connect(path);
    await signer.open();
    expect(signer.url).toBe(`extapi://${path}`);
    expect(signer.accounts()[0]?.address).toEqual(address);
  });
});
