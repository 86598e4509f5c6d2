import { readFileSync } from "node:fs";
import { Drafter, type SealedDraft } from "../../src/network/consensus/istanbul/engine/drafter.ts";
import type {
  RawConsensusMessage,
  ValidatorPeer,
} from "../../src/network/consensus/istanbul/engine/validator-peer.ts";
import { VoteRelay } from "../../src/network/consensus/istanbul/engine/vote-relay.ts";
import type { MessageContent } from "../../src/network/consensus/istanbul/messages/message.ts";
import { messageHash } from "../../src/network/consensus/istanbul/messages/message-codec.ts";
import {
  makeMessage,
  openMessage,
  signerOf,
} from "../../src/network/consensus/istanbul/messages/open-message.ts";
import { createNode, type Node } from "../../src/node/create-node.ts";
import { proposerSealMessage } from "../../src/protocol/block/hash.ts";
import type { Header } from "../../src/protocol/block/header.ts";
import { withProposerSeal } from "../../src/protocol/block/seal.ts";
import { addressOfPublicKey, publicKeyOf, signBytes } from "../../src/protocol/crypto/secp256k1.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";
import { BFT_GENESIS } from "./validators.ts";

const WRONG = new Uint8Array(32).fill(1);
const STRANGER = new Uint8Array(32).fill(5);

/** How a validator may misbehave on its turn. */
export const LIES = [
  ...(["silence", "two proposals", "state root", "transactions root"] as const),
  ...(["seal", "reveal", "time", "false votes"] as const),
];
/** A way to misbehave. */
export type Lie = (typeof LIES)[number];

const CHANGES: Partial<Record<Lie, (header: Header) => Header>> = {
  "state root": (header) => ({ ...header, stateRoot: WRONG }),
  "transactions root": (header) => ({ ...header, transactionsRoot: WRONG }),
  reveal: (header) => ({ ...header, randomReveal: new Uint8Array(96).fill(3) }),
  time: (header) => ({ ...header, time: header.time + 4n }),
};

/** A validator in this process that misbehaves on request. */
export interface Liar {
  /** Turns since `lie` was called. */
  readonly turns: number;
  /** How it misbehaves from now on; undefined = not at all. */
  lie(how: Lie | undefined): void;
  stop(): Promise<void>;
}

/** Starts a node in this process whose outgoing proposals and votes are altered. */
export async function startLiar(key: string, nodes: readonly string[]): Promise<Liar> {
  const nodeKey = hexToBytes(`0x${key}`);
  const signer = signerOf(addressOfPublicKey(publicKeyOf(nodeKey)), nodeKey);
  let lie: Lie | undefined;
  let turns = 0;
  const sealed = (header: Header, by = nodeKey) =>
    withProposerSeal(header, signBytes(proposerSealMessage(header), by));

  const { draft } = Drafter.prototype;
  Drafter.prototype.draft = async function (this: Drafter): Promise<SealedDraft | undefined> {
    const made = await draft.call(this);
    if (made === undefined || lie === undefined) return made;
    const change = CHANGES[lie] ?? ((header: Header) => header);
    const header = sealed(change(made.block.header), lie === "seal" ? STRANGER : nodeKey);
    return { ...made, block: { ...made.block, header } };
  };

  const { send } = VoteRelay.prototype;
  VoteRelay.prototype.send = function (this: VoteRelay, message: RawConsensusMessage, hash, members): void {
    const { content, sender } = openMessage(message.payload, () => true);
    const isOwn = bytesToHex(sender) === bytesToHex(signer.address);
    if (isOwn && content.kind === "preprepare" && content.round === 0) turns++;
    if (isOwn && content.kind === "preprepare" && lie === "silence") return;
    if (isOwn && content.kind === "preprepare" && lie === "two proposals") showTwo(message, content);
    else send.call(this, message, hash, members);
    if (isOwn && lie === "false votes") for (const vote of falseVotes(content)) tellAll(vote);
  };

  let peersOf: () => Iterable<ValidatorPeer> = () => [];
  const { sendRecentTo } = VoteRelay.prototype;
  const met = new Set<ValidatorPeer>();
  VoteRelay.prototype.sendRecentTo = function (this: VoteRelay, peer: ValidatorPeer): void {
    met.add(peer);
    peersOf = () => met;
    sendRecentTo.call(this, peer);
  };
  const tellAll = (message: RawConsensusMessage): void => {
    for (const peer of peersOf()) peer.send(message);
  };

  function showTwo(
    message: RawConsensusMessage,
    content: MessageContent & { readonly kind: "preprepare" },
  ): void {
    const { header, transactions } = content.proposal;
    const other = sealed({ ...header, timeFoS: (header.timeFoS + 1) % 100 });
    const second = makeMessage({ ...content, proposal: { header: other, transactions } }, signer);
    for (const [i, peer] of [...peersOf()].entries()) peer.send(i % 2 === 0 ? message : second);
  }

  /** Votes for blocks that nobody proposed, in future views, without seals, and meaningless bytes. */
  function* falseVotes(content: MessageContent): Generator<RawConsensusMessage> {
    const { sequence, round } = content;
    for (let ahead = 0n; ahead < 6n; ahead++) {
      const digest = messageHash(Uint8Array.of(Number(ahead)));
      const vote = { sequence: sequence + ahead, round: round + Number(ahead), digest, parentHash: WRONG };
      yield makeMessage({ kind: "prepare", ...vote }, signer);
      yield makeMessage({ kind: "commit", ...vote }, signer, WRONG);
      yield makeMessage({ kind: "roundChange", ...vote }, signer);
    }
  }

  const node: Node = await createNode({
    ...{ dev: false, nodeKey, genesis: JSON.parse(readFileSync(BFT_GENESIS, "utf8")), networkId: 2019n },
    peers: { port: 0, host: "127.0.0.1", nodeType: "cn", nodes },
  });
  return {
    get turns() {
      return turns;
    },
    lie(how) {
      lie = how;
      turns = 0;
    },
    async stop() {
      Object.assign(Drafter.prototype, { draft });
      Object.assign(VoteRelay.prototype, { send, sendRecentTo });
      await node.stop();
    },
  };
}
