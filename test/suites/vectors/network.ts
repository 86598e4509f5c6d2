import { decodeVote, encodeVote } from "../../../src/ledger/extensions/governance/vote.ts";
import { nextMixHash, revealMessage } from "../../../src/ledger/extensions/randao/random-reveal.ts";
import { Selection } from "../../../src/ledger/extensions/valset/committee.ts";
import { GoRandom } from "../../../src/ledger/extensions/valset/go-random.ts";
import { blsSecretKey, loadBls } from "../../../src/protocol/crypto/bls.ts";
import { ZERO_ADDRESS } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the files themselves
type Published = any;

/** net/randao.json: the BLS key of a node and random reveals of recorded blocks. */
export function randao(file: Published): VectorCase[] {
  const keys: VectorCase = {
    name: "keys",
    async run() {
      const bls = await loadBls();
      const secretKey = blsSecretKey(hexToBytes(file.nodeKey));
      same(hex(secretKey), file.blsSecretKey, "blsSecretKey");
      same(hex(bls.publicKey(secretKey)), file.blsPublicKey, "blsPublicKey");
      same(hex(bls.provePossession(secretKey)), file.proofOfPossession, "proofOfPossession");
    },
  };
  const reveals = file.rows.map((row: Published) => ({
    name: `block ${row.number}`,
    async run() {
      const bls = await loadBls();
      const reveal = bls.sign(revealMessage(BigInt(row.number)), hexToBytes(file.blsSecretKey));
      same(hex(reveal), row.randomReveal, "randomReveal");
      same(hex(nextMixHash(hexToBytes(row.parentMixHash), reveal)), row.mixHash, "mixHash");
    },
  }));
  return [keys, ...reveals];
}

/** net/go-rand.json: the random generator of shuffles. */
export function goRandom({ vectors }: Published): VectorCase[] {
  return vectors.map(({ seed, uint64, shuffle10, legacyShuffle10 }: Published) => ({
    name: `seed ${seed}`,
    run() {
      const random = new GoRandom(BigInt(seed));
      const word = (half: number) => half.toString(16).padStart(8, "0");
      const words = uint64.map(() => random.next());
      same(
        words.map(({ high, low }: Published) => `0x${word(high)}${word(low)}`),
        uint64,
        "uint64",
      );
      const ten = Array.from({ length: 10 }, (_, i) => i);
      same(new GoRandom(BigInt(seed)).shuffled(ten), shuffle10, "shuffle10");
      same(new GoRandom(BigInt(seed)).legacyShuffled(ten), legacyShuffle10, "legacyShuffle10");
    },
  }));
}

/** net/committee-randao.json: committees and proposers of recorded blocks. */
export function committees({ policy, rows }: Published): VectorCase[] {
  return rows.map((row: Published) => ({
    name: `block ${row.number} round ${row.round}`,
    run() {
      const selection = new Selection({
        number: BigInt(row.number),
        policy,
        committeeSize: row.size,
        randao: true,
        qualified: row.qualified.map(hexToBytes),
        parentHash: hexToBytes(row.prevHash),
        parentMixHash: hexToBytes(row.prevMixHash),
        parentProposer: ZERO_ADDRESS,
        proposerList: () => ({ list: [], madeAt: 0n, interval: 0n }),
      });
      same(hex(selection.proposer(row.round)), row.proposer, "proposer");
      same(selection.committee(row.round).map(hex), row.committee, "committee");
    },
  }));
}

/** net/governance.json: votes in recorded headers. */
export function votes({ blocks }: Published): VectorCase[] {
  return blocks
    .filter(({ vote }: Published) => vote !== "0x")
    .map(({ number, vote }: Published) => ({
      name: `vote of block ${number}`,
      run: () => same(hex(encodeVote(decodeVote(hexToBytes(vote)))), vote, "vote"),
    }));
}
