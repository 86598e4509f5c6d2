import { expect, it } from "vitest";
import { openSession } from "../../../network/p2p/session/open-session.ts";
import { CHAIN_PROTOCOL } from "../../../network/p2p/wire/capabilities.ts";
import { CHAIN_MESSAGES } from "../../../network/protocol/chain-messages.ts";
import { systemNetwork } from "../../../platform/runtime/system/network.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode } from "../../create-node.ts";
import { devGenesis } from "../../dev/genesis.ts";

const key = (seed: number) => new Uint8Array(32).fill(seed);
const validator = addressOfPublicKey(publicKeyOf(key(0x11)));
const genesis = devGenesis({ chainId: 4242n, validator, accounts: [validator], balance: 1n });
/** Codes of the chain protocol begin there. */
const OFFSET = 16;
const USELESS_PEER = 3;

it("shows a rejected block sent by a peer", { timeout: 30_000 }, async () => {
  const peers = { port: 0, host: "127.0.0.1" };
  const node = await createNode({ dev: false, genesis, nodeKey: key(0x22), peers });
  try {
    const ask = (method: string) => node.provider.request({ method, params: [] });
    await expect(ask("debug_getBadBlocks")).rejects.toThrow("data is not found with the given key");
    const info = (await ask("admin_nodeInfo")) as { id: string; ports: { listener: number } };
    const { signal } = new AbortController();
    const session = await openSession({
      stream: await systemNetwork.connect({ host: "127.0.0.1", port: info.ports.listener }, 5_000, signal),
      own: { key: key(0x33), connectionType: 1, name: "liar", capabilities: CHAIN_PROTOCOL },
      dialled: hexToBytes(`0x${info.id}`),
      admit: () => undefined,
      runtime: systemRuntime,
    });
    const { header, hash: parentHash } = node.chain.head;
    const { status, newBlock } = CHAIN_MESSAGES;
    const ids = { protocolVersion: 67n, networkId: 4242n, chainId: 4242n };
    const heads = { totalBlockScore: 1n, head: parentHash, genesis: parentHash };
    session.send(OFFSET + status.code, status.codec.write({ ...ids, ...heads }));
    const forged = { ...header, number: 1n, parentHash, time: header.time + 1n };
    const block = { header: forged, transactions: [] };
    session.start((code) => {
      if (code === OFFSET + status.code)
        session.send(OFFSET + newBlock.code, newBlock.codec.write({ block, totalBlockScore: 2n }));
    });
    expect(await session.ended).toBe(USELESS_PEER);
    expect(await ask("debug_getBadBlocks")).toMatchObject([
      { hash: bytesToHex(blockHash(forged)), block: { number: "0x1" }, reason: expect.any(String) },
    ]);
    expect(node.chain.head.header.number).toBe(0n);
  } finally {
    await node.stop();
  }
});
