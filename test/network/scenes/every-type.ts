import { addressOfPublicKey, publicKeyOf } from "../../../src/protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import type { NetworkNode } from "../node.ts";
import type { Scene } from "../scene.ts";
import { agree, CHAIN_ID, eventually, expectThat, keyOf, reaches } from "../stage.ts";
import { everyType } from "../transactions.ts";

const TYPES = 26;
const bytesOf = (label: string) => hexToBytes(`0x${keyOf(label)}`);

/** A transaction of each type propagates from any node to the validator and is mined. */
export const transactions: Scene = {
  id: "d",
  title: "all 26 types of transactions are mined, whichever node receives them",
  casts: [
    { cn: "kairn", last: "kairn" },
    { cn: "kairn", middle: "kairn", last: "kairn" },
    { cn: "go", middle: "kairn", last: "kairn" },
    { cn: "kairn", middle: "kairn", last: "go" },
    { cn: "go", middle: "kairn", last: "go" },
    { cn: "go-multichannel", middle: "kairn", last: "go-multichannel" },
  ],
  isShort: true,
  async play(stage, { cn: cnKind = "kairn", middle: middleKind, last: lastKind = "kairn" }) {
    const cn = await stage.start({ kind: cnKind, role: "cn", name: "cn" });
    // Connected to the consensus node only through its neighbour.
    const middle =
      middleKind && (await stage.start({ kind: middleKind, role: "en", name: "middle", peers: [cn.url] }));
    const last = await stage.start({ kind: lastKind, role: "en", name: "last", peers: [(middle ?? cn).url] });
    const nodes = [last, ...(middle ? [middle] : []), cn];
    await reaches(last, 2);
    // A consensus node does not send its transactions to endpoints, so each node has its own sender.
    const senders = ["alice", "bob", "carol"].slice(0, nodes.length).map(bytesOf);
    const nonces = await Promise.all(senders.map((key) => nonceOf(cn, key)));
    const sent = everyType(senders, nonces, {
      ...{ feePayerKey: bytesOf("payer"), authorityKey: bytesOf("auth1"), chainId: BigInt(CHAIN_ID) },
    });
    expectThat(sent.length === TYPES, `${sent.length} types`);
    const began = performance.now();
    const hashes: string[] = [];
    for (const [index, { type, raw }] of sent.entries()) {
      const node = nodes[index % nodes.length] as NetworkNode;
      hashes.push(await send(node, type.code, raw));
    }
    let highest = 0;
    for (const [index, hash] of hashes.entries()) {
      const { name } = (sent[index] as (typeof sent)[number]).type;
      for (const node of nodes) {
        const receipt = await eventually(
          `${name} in ${node.name}`,
          () => node.call("kaia_getTransactionReceipt", hash),
          (found) => found !== null,
        );
        expectThat(receipt.type === name && receipt.status === "0x1", `${name}: ${JSON.stringify(receipt)}`);
        highest = Math.max(highest, Number(receipt.blockNumber));
      }
    }
    await agree(nodes, [highest]);
    return `${TYPES} types in ${((performance.now() - began) / 1_000).toFixed(1)} s, up to block ${highest}`;
  },
};

function send(node: NetworkNode, code: number, raw: string): Promise<string> {
  const isEthereum = code === 0 || code > 0xff;
  return isEthereum && code !== 0
    ? node.call("eth_sendRawTransaction", `0x${raw.slice(4)}`)
    : node.call(code === 0 ? "eth_sendRawTransaction" : "kaia_sendRawTransaction", raw);
}

async function nonceOf(node: NetworkNode, key: Uint8Array): Promise<bigint> {
  const address = bytesToHex(addressOfPublicKey(publicKeyOf(key)));
  return BigInt(await node.call("eth_getTransactionCount", address, "latest"));
}
