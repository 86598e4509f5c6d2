import type { Block } from "../../../../../protocol/block/block.ts";
import { blockHash, proposerSealMessage } from "../../../../../protocol/block/hash.ts";
import type { Header } from "../../../../../protocol/block/header.ts";
import { withProposerSeal } from "../../../../../protocol/block/seal.ts";
import { signBytes } from "../../../../../protocol/crypto/secp256k1.ts";
import type { Hash } from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { type MessageSigner, makeMessage, signerOf } from "../../messages/open-message.ts";
import { type TestValidator, ValidatorNetwork } from "./validator-network.ts";

/** A network whose next proposer is byzantine. */
export interface ByzantineNetwork {
  readonly network: ValidatorNetwork;
  readonly liar: TestValidator;
  /** Number of the next block. */
  readonly number: number;
  readonly signer: MessageSigner;
  /** The block that it would have proposed honestly. */
  readonly honest: Block;
  /** Proposes that block with changes to some validators. @returns its hash */
  propose(
    change: Partial<Header>,
    to?: readonly number[],
    key?: Uint8Array,
    transactions?: Block["transactions"],
  ): Hash;
}

/** A network in which the test controls the proposer of the next block, which neither receives nor sends anything by itself. */
export async function withByzantineProposer(): Promise<ByzantineNetwork> {
  const network = await ValidatorNetwork.start();
  await network.reach(2);
  const [{ chain, recorded }] = network.validators as [TestValidator];
  const number = chain.head.header.number + 1n;
  const proposer = recorded.extensions.validators.proposer(number, 0);
  const liar = network.validators.find(({ address }) => bytesToHex(address) === bytesToHex(proposer));
  if (liar === undefined) throw new Error("nobody proposes");
  let honest: Block | undefined;
  network.link = ({ from, to, message: { content } }) => {
    if (from !== liar.index) return to !== liar.index;
    if (content.kind === "preprepare") honest = content.proposal;
    return false;
  };
  await network.until(() => honest !== undefined);
  const signer = signerOf(liar.address, liar.key);
  const propose: ByzantineNetwork["propose"] = (change, to = [0, 1, 2, 3], key = liar.key, transactions) => {
    const { header, transactions: own } = honest as Block;
    const changed = { ...header, ...change };
    const proposal = {
      header: withProposerSeal(changed, signBytes(proposerSealMessage(changed), key)),
      transactions: transactions ?? own,
    };
    const message = makeMessage({ kind: "preprepare", sequence: number, round: 0, proposal }, signer);
    for (const index of to) if (index !== liar.index) network.deliver(liar.index, index, message);
    return blockHash(proposal.header);
  };
  return { network, liar, number: Number(number), signer, propose, honest: honest as unknown as Block };
}
