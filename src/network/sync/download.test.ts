import { beforeAll, describe, expect, it } from "vitest";
import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { deriveSha } from "../../protocol/block/list-root.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { recordedBlocks } from "../consensus/testing/recorded-chain.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { download } from "./download.ts";

type Bodies = readonly (readonly Transaction[])[];
type RespondWithBodies = (blocks: readonly Block[]) => Bodies | Promise<Bodies>;

let chain: readonly Block[];
const byHash = new Map<string, Block>();

beforeAll(() => {
  chain = [...recordedBlocks("all-types")];
  for (const block of chain) byHash.set(bytesToHex(blockHash(block.header)), block);
});

const honest = (blocks: readonly Block[]): Bodies => blocks.map(({ transactions }) => transactions);

/** A peer with the recorded chain that responds to requests for bodies in its own way. */
function peerThat(answer: RespondWithBodies, asked: number[] = []): ChainPeer {
  const peer = {
    headNumber: BigInt(chain.length),
    session: { pace: { isDue: () => true, yield: async () => {} } },
    async request(name: string, value: unknown) {
      if (name === "bodiesRequest") {
        const blocks = (value as Uint8Array[]).map((hash) => byHash.get(bytesToHex(hash)) as Block);
        asked.push(blocks.length);
        return answer(blocks);
      }
      const { origin, amount } = value as { origin: { number: bigint }; amount: bigint };
      // the reference's limit, above which it would see fewer headers than it asked for
      expect(amount).toBeLessThanOrEqual(192n);
      const start = Number(origin.number) - 1;
      return chain.slice(start, start + Number(amount)).map(({ header }) => header);
    },
  };
  return peer as unknown as ChainPeer;
}

/** The result of a download, and the blamed peers. */
async function downloadFrom(master: ChainPeer, others: readonly ChainPeer[] = []) {
  const faults: ChainPeer[] = [];
  const source = {
    master,
    peersWith: () => [...others, master],
    onFault: (peer: ChainPeer) => void faults.push(peer),
  };
  const [first] = chain as [Block];
  const from = { number: 0n, hash: first.header.parentHash };
  const got: Block[] = [];
  for await (const block of download(source, from, new AbortController().signal)) got.push(block);
  return { got, faults };
}

const hashes = (blocks: readonly Block[]) => blocks.map(({ header }) => bytesToHex(blockHash(header)));

describe("a download", () => {
  it("yields every block, in order", async () => {
    const { got, faults } = await downloadFrom(peerThat(honest));
    expect(hashes(got)).toEqual(hashes(chain));
    expect(got.map(({ transactions }) => transactions)).toEqual(honest(chain));
    expect(faults).toEqual([]);
  });

  it("continues after an incomplete response", async () => {
    const asked: number[] = [];
    const { got } = await downloadFrom(peerThat((blocks) => honest(blocks.slice(0, 3)), asked));
    expect(hashes(got)).toEqual(hashes(chain));
    expect(asked.length).toBeGreaterThan(10);
  });

  it("blames a peer that sends a wrong body, and asks the others", async () => {
    const liar = peerThat((blocks) => honest([...blocks].reverse()));
    const { got, faults } = await downloadFrom(peerThat(honest), [liar]);
    expect(hashes(got)).toEqual(hashes(chain));
    expect(new Set(faults)).toEqual(new Set([liar]));
  });

  it.each<readonly [string, RespondWithBodies, string]>([
    ["sends nothing", () => [], "no peer has the body"],
    ["leaves out the first", (blocks) => honest(blocks.slice(1)), "unsolicited body"],
    ["sends one too many", (blocks) => [...honest(blocks), honest(blocks)[0] ?? []], "unsolicited body"],
    ["breaks off", () => Promise.reject(new Error("gone")), "gone"],
  ])("fails when its master %s", async (_name, answer, message) => {
    await expect(downloadFrom(peerThat(answer))).rejects.toThrow(message);
  });

  it("fails when headers do not follow from one another", async () => {
    const whole = chain;
    chain = whole.filter((_, i) => i !== 20);
    await expect(downloadFrom(peerThat(honest))).rejects.toThrow("header 22 does not follow from 20");
    chain = whole;
  });

  it("prefetches no more than a few MiB before the first block is consumed", async () => {
    const [template] = chain as [Block];
    const transaction = chain.flatMap(({ transactions }) => transactions)[0] as Transaction;
    const large = [{ ...transaction, input: new Uint8Array(1 << 20) } as Transaction];
    const transactionsRoot = deriveSha(0, large.map(encodeTransaction));
    let { parentHash } = template.header;
    const forged = Array.from({ length: 192 }, (_, i): Block => {
      const header = { ...template.header, parentHash, number: BigInt(i + 1), transactionsRoot };
      parentHash = blockHash(header);
      return { header, transactions: large };
    });
    const whole = chain;
    chain = forged;
    for (const block of forged) byHash.set(bytesToHex(blockHash(block.header)), block);
    const asked: number[] = [];
    const master = peerThat(([first]) => honest([first as Block]), asked);
    const from = { number: 0n, hash: template.header.parentHash };
    const source = { master, peersWith: () => [master], onFault() {} };
    const blocks = download(source, from, new AbortController().signal);
    expect((await blocks.next()).value).toEqual(forged[0]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(asked.length).toBeLessThanOrEqual(4 * 5);
    await blocks.return(undefined);
    chain = whole;
  });
});
