import { describe, expect, it } from "vitest";
import { createNode } from "../../create-node.ts";
import type { NodeOptions } from "../../node-options.ts";
import { asker, NO_HASH, NO_ONE } from "../../testing/ask.ts";

const BID = {
  ...{
    targetTxRaw: "",
    targetTxHash: NO_HASH,
    blockNumber: 0,
    sender: NO_ONE,
    to: NO_ONE,
    nonce: 0,
    bid: "0x0",
  },
  ...{ callGasLimit: 0, data: "0x", searcherSig: "0x", auctioneerSig: "0x" },
};
/** Texts and codes are those of the reference node v2.2.1, as its RPC test suite has them. */
describe("texts of the interface", () => {
  it("reports why a bid is rejected without an auctioneer, and accepts its transaction", async () => {
    await using node = await createNode({ dev: true, sealing: { kind: "manual" } });
    const ask = asker(node);
    expect(await ask("auction_submitBid", BID)).toEqual({ err: "Empty target tx raw" });
    await expect(ask("auction_submitBid", "bid")).rejects.toMatchObject({
      code: -32602,
      message: "invalid argument 0: json: cannot unmarshal string into Go value of type impl.BidInput",
    });
    const [from] = (await ask("eth_accounts")) as string[];
    const { raw } = (await ask("kaia_signTransaction", {
      ...{ typeInt: 8, from, to: NO_ONE, value: "0x1", gas: "0x7530", nonce: "0x0" },
    })) as { raw: string };
    const bid = { ...BID, targetTxRaw: raw };
    expect(await ask("auction_submitBid", bid)).toEqual({ err: "invalid target tx hash" });
    const targetTxHash = await ask("web3_sha3", raw);
    expect(await ask("auction_submitBid", { ...bid, targetTxHash })).toEqual({ err: "auction is paused" });
    expect(await ask("txpool_status")).toMatchObject({ pending: "0x1" });
    // Further bids with a known transaction are not rejected for that.
    expect(await ask("auction_submitBid", { ...bid, targetTxHash })).toEqual({ err: "auction is paused" });
  });

  it("rejects a value transfer without a receiver", async () => {
    await using node = await createNode({ dev: true });
    const ask = asker(node);
    const [from] = (await ask("eth_accounts")) as string[];
    const message = expect.stringContaining('"to" is required') as string;
    await expect(ask("personal_sendValueTransfer", { from, value: "0x1" }, "")).rejects.toMatchObject({
      message,
    });
    for (const typeInt of [8, 9, 10, 16, 17, 18])
      await expect(
        ask("kaia_signTransaction", {
          from,
          typeInt,
          value: "0x1",
          input: "0x",
          feePayer: from,
          feeRatio: 30,
        }),
      ).rejects.toMatchObject({ code: -32000, message });
  });

  it("encodes an account key given as one object, or as type and key, the type in either notation", async () => {
    await using node = await createNode();
    const ask = asker(node);
    for (const args of [[{ keyType: 3, key: {} }], [3, {}], ["0x3", {}]])
      expect(await ask("kaia_encodeAccountKey", ...args)).toBe("0x03c0");
  });

  it("reports an unknown block when its logs are requested by hash", async () => {
    const unknown = `0x${"12".repeat(32)}`;
    await using node = await createNode({ dev: true });
    for (const module of ["eth", "kaia"])
      await expect(asker(node)(`${module}_getLogs`, { blockHash: unknown })).rejects.toMatchObject({
        code: -32000,
        message: `the header does not exist (hash: ${unknown})`,
      });
  });

  it("recovers the sender of a transaction whose fee payer has not signed", async () => {
    await using node = await createNode({ dev: true });
    const ask = asker(node);
    const [from, feePayer] = (await ask("eth_accounts")) as string[];
    const { raw } = (await ask("kaia_signTransaction", {
      ...{ typeInt: 9, from, to: NO_ONE, value: "0x1", gas: "0x7530", nonce: "0x0", feePayer },
    })) as { raw: string };
    expect(await ask("kaia_recoverFromTransaction", raw, "latest")).toBe(from?.toLowerCase());
  });

  it("accepts locations in the Go node's code, and no target for contract texts but none", async () => {
    await using node = await createNode();
    const ask = asker(node);
    for (const line of ["97", "0", "-4"])
      expect(await ask("debug_backtraceAt", `agent.go:${line}`)).toBeNull();
    for (const location of ["agent.go", "agent.ts:97", "agent.go:x", ""])
      await expect(ask("debug_backtraceAt", location)).rejects.toMatchObject({
        code: -32000,
        message: "expect file.go:234",
      });
    expect(await ask("debug_setVMLogTarget", 0)).toBe("no output");
    await expect(ask("debug_setVMLogTarget", 4)).rejects.toThrow("target should be between 0 and 3");
    await expect(ask("debug_setVMLogTarget", 1)).rejects.toMatchObject({ code: -32000 });
  });

  it("shows the node's configuration", async () => {
    const shown = async (options: NodeOptions) => {
      await using node = await createNode(options);
      return asker(node)("admin_nodeConfig");
    };
    expect(await shown({ networkId: 7n, history: "full" })).toMatchObject({ NetworkId: 7, NoPruning: false });
    // A development chain keeps every state, whether or not it is asked for by name.
    const pruning = { NoPruning: true, SenderTxHashIndexing: true };
    for (const options of [{}, { dev: true }]) expect(await shown(options)).toMatchObject(pruning);
  });

  it("reports missing files, and malformed node IDs and nonces, as the reference does", async () => {
    await using node = await createNode();
    const ask = asker(node);
    await expect(ask("admin_importChain", "absent")).rejects.toMatchObject({
      message: "open absent: no such file or directory",
    });
    await expect(ask("admin_exportChain", "")).rejects.toThrow("no such file or directory");
    await expect(ask("debug_traceBlockFromFile", "absent")).rejects.toThrow(
      "could not read file: open absent",
    );
    for (const [peer, text] of [
      ["1234", "invalid node ID (wrong length, want 128 hex chars)"],
      ["kni://123", "invalid node ID (encoding/hex: odd length hex string)"],
      ["x", 'invalid URL scheme, want "kni"'],
      ["", 'invalid URL scheme, want "kni"'],
      ["0x12", 'invalid URL scheme, want "kni"'],
      ["kni://12x@127.0.0.1:1", "invalid node ID (encoding/hex: invalid byte: U+0078 'x')"],
      ["kni://127.0.0.1:1", "does not contain node ID"],
    ])
      await expect(ask("admin_addPeer", peer)).rejects.toThrow(`invalid kni: ${text}`);
    await expect(ask("eth_submitWork", 1, NO_HASH, NO_HASH)).rejects.toThrow(
      "json: cannot unmarshal number into Go value of type *api.BlockNonce",
    );
    for (const [nonce, reason] of [
      ["0x1", "hex string of odd length"],
      ["0011223344556677", "hex string without 0x prefix"],
      ["0x001122334455667z", "invalid hex string"],
      ["0x01", "hex string has length 2, want 16 for BlockNonce"],
    ])
      await expect(ask("eth_submitWork", nonce, NO_HASH, NO_HASH)).rejects.toMatchObject({
        code: -32602,
        message: `invalid argument 0: ${reason}`,
      });
  });

  it("explains what is wrong with a private key with 0x, and how a message is signed", async () => {
    await using node = await createNode();
    const ask = asker(node);
    const key = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
    await expect(ask("personal_importRawKey", `0x${key}`, "")).rejects.toMatchObject({
      code: -32000,
      message: "invalid hex string",
      data: { hint: expect.stringContaining("no 0x prefix") as string },
    });
    await expect(ask("personal_importRawKey", `zx${key}`, "")).rejects.not.toHaveProperty("data.hint");
    const address = await ask("personal_importRawKey", key, "");
    const data = { hint: expect.stringContaining('web3.fromUtf8("text")') as string };
    for (const params of [
      ["eth_sign", address, "hello"],
      ["kaia_sign", address, "hello"],
      ["personal_sign", "hello", address, ""],
      ["personal_ecRecover", "hello", NO_HASH],
    ] as [string, ...unknown[]][])
      await expect(ask(...params)).rejects.toMatchObject({ code: -32602, data });
  });

  it("reports why a listener does not start", async () => {
    const open = { host: "0.0.0.0", port: 0 };
    await using node = await createNode({ http: open, ws: open, allowExposed: true });
    const ask = asker(node);
    const port = Number(node.endpoints.ws?.split(":").at(-1));
    await ask("admin_stopHTTP");
    for (const [host, at, reason] of [
      ["127.0.0.1", 65_536, "listen tcp: address 65536: invalid port"],
      ["127.0.0.1", port, `listen tcp 127.0.0.1:${port}: bind: address already in use`],
      ["x".repeat(300), 0, "getaddrinfo E"],
    ] as [string, number, string][])
      await expect(ask("admin_startHTTP", host, at)).rejects.toMatchObject({
        code: -32000,
        message: expect.stringMatching(reason) as string,
      });
    expect(await ask("admin_startHTTP", "127.0.0.1", 0)).toBe(true);
  });

  it("checks what is to be compacted, and then compacts nothing", async () => {
    await using node = await createNode();
    const ask = asker(node);
    const type = "Go value of type api.ChaindbCompactArgs";
    for (const [asked, text] of [
      ["x", `cannot unmarshal string into ${type}`],
      [
        { preset: 1 },
        "cannot unmarshal number into Go struct field ChaindbCompactArgs.preset of type string",
      ],
      [{ preset: "x" }, "unknown preset: x"],
      [{ preset: "custom", ranges: [] }, "no ranges provided for custom preset"],
    ] as [unknown, string][])
      await expect(ask("debug_chaindbCompact", asked)).rejects.toThrow(text);
    for (const asked of [null, {}, { preset: "header" }, { preset: "custom", ranges: [{ start: "0x68" }] }])
      expect(await ask("debug_chaindbCompact", asked)).toBeNull();
  });

  it("reports the Go types of arguments, and has lists if nobody stakes", async () => {
    await using node = await createNode();
    const ask = asker(node);
    await expect(ask("eth_feeHistory", 1, "latest", {})).rejects.toThrow(
      "invalid argument 2: json: cannot unmarshal object into Go value of type []float64",
    );
    await expect(ask("eth_getUncleByBlockNumberAndIndex", "latest", 1)).rejects.toThrow(
      "json: cannot unmarshal non-string into Go value of type hexutil.Uint",
    );
    expect(await ask("kaia_getStakingInfo", "latest")).toMatchObject({
      ...{ councilNodeAddrs: [], councilStakingAddrs: [], councilRewardAddrs: [], councilStakingAmounts: [] },
    });
  });
});
