import { makeRandomReveal } from "../../../src/ledger/extensions/randao/random-reveal.ts";
import {
  decodeEnvelope,
  encodeContent,
  encodeEnvelope,
  messageHash,
} from "../../../src/network/consensus/istanbul/messages/message-codec.ts";
import {
  digestOf,
  hasValidSeal,
  makeMessage,
  openMessage,
  signerOf,
} from "../../../src/network/consensus/istanbul/messages/open-message.ts";
import { CHAIN_MESSAGES } from "../../../src/network/protocol/chain-messages.ts";
import {
  blockHash,
  committedSealMessage,
  proposerSealMessage,
  sealHash,
} from "../../../src/protocol/block/hash.ts";
import { decodeHeader, encodeHeader } from "../../../src/protocol/block/header-codec.ts";
import { decodeIstanbulExtra, encodeIstanbulExtra } from "../../../src/protocol/block/istanbul-extra.ts";
import {
  authorOf,
  committersOf,
  withCommittedSeals,
  withProposerSeal,
} from "../../../src/protocol/block/seal.ts";
import { blsSecretKey, loadBls } from "../../../src/protocol/crypto/bls.ts";
import { signBytes } from "../../../src/protocol/crypto/secp256k1.ts";
import { EMPTY_BYTES } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { failureOf, same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the files themselves
type Published = any;

/** network/istanbul-messages.json: messages of validators, decoded, encoded again and hashed. */
export function istanbulMessages({ keys, cases }: Published): VectorCase[] {
  const addresses = addressesOf(keys);
  return cases.map((vector: Published) => ({
    name: vector.name,
    run() {
      const payload = hexToBytes(vector.payload);
      const message = openMessage(payload, (address) => addresses.includes(hex(address)));
      same(hex(message.sender), addresses[vector.signer], "sender");
      same(hex(message.previousHash), vector.prevHash, "prevHash");
      same(hex(message.committedSeal), vector.committedSeal, "committedSeal");
      const { content } = message;
      same([content.sequence, content.round], [vector.sequence, vector.round], "view");
      same(hex(digestOf(content)), vector.proposalHash ?? vector.digest, "digest");
      same(hex(encodeContent(content)), vector.msg, "msg");
      const envelope = decodeEnvelope(payload);
      same(hex(encodeEnvelope({ ...envelope, signature: EMPTY_BYTES })), vector.unsigned, "unsigned");
      same(hex(messageHash(payload)), vector.knownKey, "knownKey");
      const gossiped = { previousHash: message.previousHash, payload };
      same(hex(CHAIN_MESSAGES.consensus.codec.write(gossiped)), vector.p2pPayload, "p2pPayload");
      same(hasValidSeal(message), vector.committedSeal !== "0x", "right seal");
      const signer = signerOf(message.sender, hexToBytes(keys[vector.signer].key));
      const sealed = vector.committedSeal === "0x" ? undefined : digestOf(content);
      same(hex(makeMessage(content, signer, sealed).payload), vector.payload, "made anew");
    },
  }));
}

/** Cases with valid bytes whose signer is not a known validator. */
const STRANGERS = ["signer not in the set", "signer demoted"];

/** network/istanbul-messages-refused.json: whether messages are accepted. */
export function judgedIstanbulMessages({ keys, cases }: Published): VectorCase[] {
  const addresses = addressesOf(keys);
  return cases.map(({ name, payload, accepted, mayRefuse }: Published) => ({
    name,
    run() {
      const takesPart = (address: Uint8Array) =>
        !STRANGERS.includes(name) && addresses.includes(hex(address));
      const isTaken = failureOf(() => openMessage(hexToBytes(payload), takesPart)) === null;
      if (!(mayRefuse === true && !isTaken)) same(isTaken, accepted, "accepted");
    },
  }));
}

/** network/istanbul-seals.json: extra data, seals and hashes of headers. */
export function istanbulSeals({ keys, cases }: Published): VectorCase[] {
  const addresses = addressesOf(keys);
  return cases.map((vector: Published) => ({
    name: vector.name,
    run() {
      const key = hexToBytes(keys[vector.proposer].key);
      const sample = decodeHeader(hexToBytes(vector.rounds[0].header));
      const validators = vector.validators.map((place: number) => hexToBytes(addresses[place] as string));
      const vanity = hexToBytes(vector.vanity);
      const extra = { vanity, validators, seal: EMPTY_BYTES, committedSeals: [] };
      same(hex(encodeIstanbulExtra(extra)), vector.preparedExtra, "preparedExtra");
      const prepared = { ...sample, extra: hexToBytes(vector.preparedExtra) };
      same(hex(sealHash(prepared)), vector.sealHash, "sealHash");
      const seal = signBytes(proposerSealMessage(prepared), key);
      same(hex(seal), vector.proposerSeal, "proposerSeal");
      const proposed = withProposerSeal(prepared, seal);
      same(hex(proposed.extra), vector.sealedExtra, "sealedExtra");
      same(hex(blockHash(proposed)), vector.hash, "hash");
      same(hex(authorOf(proposed)), addresses[vector.proposer], "author");
      for (const { round, committedSeals, extra, header } of vector.rounds) {
        const seals = committedSeals.map(hexToBytes);
        const sealed = withCommittedSeals(proposed, seals, round);
        same(hex(sealed.extra), extra, `extra of round ${round}`);
        same(hex(encodeHeader(sealed)), header, `header of round ${round}`);
        same(hex(encodeIstanbulExtra(decodeIstanbulExtra(sealed.extra))), extra, "extra read and written");
        for (const [i, committer] of committersOf(sealed).entries()) {
          const { key } = keys[addresses.indexOf(hex(committer))];
          const anew = signBytes(committedSealMessage(blockHash(sealed)), hexToBytes(key));
          same(hex(anew), committedSeals[i], `committed seal ${i}`);
        }
      }
    },
  }));
}

/** network/randao.json: BLS keys of nodes, their proofs and reveals. */
export function randaoKeys({ cases }: Published): VectorCase[] {
  return cases.map((vector: Published) => ({
    name: vector.name,
    async run() {
      const bls = await loadBls();
      const secretKey = blsSecretKey(hexToBytes(vector.nodeKey));
      same(hex(secretKey), vector.blsKey, "blsKey");
      same(hex(bls.publicKey(secretKey)), vector.blsPublicKey, "blsPublicKey");
      same(hex(bls.provePossession(secretKey)), vector.proofOfPossession, "proofOfPossession");
      for (const { number, parentMixHash, randomReveal, mixHash } of vector.reveals) {
        const input = { number: BigInt(number), secretKey, parentMixHash: hexToBytes(parentMixHash) };
        const made = makeRandomReveal(bls, input);
        same(hex(made.randomReveal), randomReveal, `randomReveal of ${number}`);
        same(hex(made.mixHash), mixHash, `mixHash of ${number}`);
      }
    },
  }));
}

function addressesOf(keys: Published): string[] {
  return keys.map(({ address }: Published) => address.toLowerCase());
}
