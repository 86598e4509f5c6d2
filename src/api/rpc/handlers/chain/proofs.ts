import type { Chain } from "../../../../ledger/chain/chain.ts";
import { TransactionRejection } from "../../../../ledger/execution/errors.ts";
import { checkSender } from "../../../../ledger/execution/transaction/validate.ts";
import type { StateStore, StateView } from "../../../../ledger/state/state.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import type { AccountKey } from "../../../../protocol/account/key.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { type Json, stringify } from "../../../../protocol/codec/json/value.ts";
import { addressOfPublicKey, recoverPublicKey } from "../../../../protocol/crypto/secp256k1.ts";
import {
  type Address,
  bytesToBigint,
  concat,
  EMPTY_BYTES,
  equalBytes,
  type Hash,
  leftPad,
} from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import { ETHEREUM_ENVELOPE } from "../../../../protocol/transaction/type-table.ts";
import { messageHash } from "../../../../wallet/signed-message.ts";
import { type RpcError, refused } from "../../engine/errors.ts";
import { BoundedText } from "../../engine/text/bounded-text.ts";
import type { Draft } from "../../engine/text/draft.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { proofs, recovery } from "../../spec/chain/proofs.ts";
import type { Handlers } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import { isMember } from "../accounts/fitting-signatures.ts";
import type { ChainReader, LocatedBlock } from "./chain-reader.ts";

/** How proofs are built and shown. */
export interface ProofDeps {
  readonly reads: HeavyReads;
  /** Whether the proof of a slot in an empty storage is an empty list; the reference shows null. */
  readonly hasEmptyProofs: boolean;
}

/** Proofs of state. */
export function proofHandlers(
  reader: ChainReader,
  store: StateStore,
  { reads, hasEmptyProofs }: ProofDeps,
): Handlers<typeof proofs> {
  return {
    getProof({ address, slots, block }, context) {
      const keys = slots.map(slotKey);
      if (block.number === "pending" && reader.buildsPending) {
        if (reader.stateAt(block).state.account(address) === undefined) throw noAccount();
        return reader.withBlock(block.number, noProof);
      }
      const { header } = reader.stateAt(block);
      const noNodes: Json = hasEmptyProofs ? [] : null;
      return reads.run(context, (pace, draft) =>
        proofText({ reader, store, header, address, keys, noNodes }, pace, draft),
      );
    },
  };
}

/** What is to be proved. */
interface WantedProof {
  readonly reader: ChainReader;
  readonly store: StateStore;
  readonly header: Header;
  readonly address: Address;
  readonly keys: readonly SlotKey[];
  /** The proof of a slot in an empty storage. */
  readonly noNodes: Json;
}

/** Proves as many slots at a time as the time slice allows; the state is looked up again after each yield. */
async function proofText(wanted: WantedProof, pace: Pace, draft: Draft): Promise<JsonText> {
  const { reader, store, header, address, keys } = wanted;
  const hash = reader.chain.hash(header.number);
  const text = new BoundedText(draft);
  let shown = 0;
  const addProofs = (view: StateView | undefined): void => {
    if (shown === 0) text.add(`${stringify(accountProof(view, address)).slice(0, -1)},"storageProof":[`);
    do {
      const key = keys[shown];
      if (key === undefined) return;
      text.add(`${shown++ === 0 ? "" : ","}${stringify(slotProof(view as StateView, key, wanted))}`);
    } while (!pace.isDue());
  };
  await store.prove({ number: header.number, address }, pace, addProofs);
  while (shown < keys.length) {
    await pace.yield();
    if (hash === undefined || !equalBytes(reader.chain.hash(header.number) ?? EMPTY_BYTES, hash))
      throw refused("the block is no longer in the chain");
    await store.prove({ number: header.number, address }, pace, addProofs);
  }
  text.add("]}");
  return new JsonText(text.finish());
}

/** The response without the slots. */
function accountProof(view: StateView | undefined, address: Address): { readonly [member: string]: Json } {
  const account = view?.account(address);
  if (view === undefined || account === undefined) throw noAccount();
  return {
    address: bytesToHex(address),
    accountProof: view.proveAccount(address).map(bytesToHex),
    balance: hexQuantity(account.balance),
    codeHash: bytesToHex(account.codeHash),
    nonce: hexQuantity(account.nonce),
    storageHash: bytesToHex(account.storageRoot),
  };
}

function slotProof(view: StateView, { slot, shown }: SlotKey, { address, noNodes }: WantedProof): Json {
  const nodes = view.proveStorage(address, slot);
  return {
    key: shown,
    value: hexQuantity(bytesToBigint(view.storage(address, slot))),
    proof: nodes.length === 0 ? noNodes : nodes.map(bytesToHex),
  };
}

function noAccount(): RpcError {
  return refused("there is no account corresponding to the given address");
}

/** A block that is not sealed yet has no trie. @throws RpcError -32000 with the reference's text */
function noProof(located: LocatedBlock | undefined): never {
  const root = bytesToHex((located as LocatedBlock).header.stateRoot).slice(2);
  throw refused(`missing trie node ${root} (path )`);
}

/** Signers of transactions and messages. */
export function recoveryHandlers(chain: Chain, reader: ChainReader): Handlers<typeof recovery> {
  return {
    recoverFromTransaction({ raw, number }) {
      if (raw.length === 0) throw refused("Empty input");
      const first = raw[0] as number;
      const tx = decodeTransaction(
        first > 0 && first < 8 ? concat(Uint8Array.of(ETHEREUM_ENVELOPE), raw) : raw,
      );
      const { header, state } = reader.stateAt({ number });
      try {
        return checkSender(tx, state, chain.rulesAt(header.number));
      } catch (error) {
        if (!(error instanceof TransactionRejection)) throw error;
        throw refused(error.message.replace(/^invalid sender: /, ""));
      }
    },
    recoverFromMessage({ address, message, signature, number }) {
      if (signature.length !== 65) throw refused("signature must be 65 bytes long");
      const v = signature[64] as number;
      if (v !== 27 && v !== 28) throw refused("invalid signature (V is not 27 or 28)");
      const key = keyAt(reader, address, { number });
      // Either prefix may have been signed; the recovered key shows which.
      for (const name of ["Klaytn", "Ethereum"] as const) {
        const publicKey = recovered(messageHash({ text: message, name }), signature);
        if (isMember(key, publicKey, address)) return addressOfPublicKey(publicKey);
      }
      throw refused("Invalid signature");
    },
  };
}

function keyAt(reader: ChainReader, address: Address, block: BlockRef): AccountKey {
  return reader.stateAt(block).state.account(address)?.key ?? { type: "legacy" };
}

function recovered(hash: Hash, signature: Uint8Array): Uint8Array {
  try {
    return recoverPublicKey(hash, signature.subarray(0, 64), (signature[64] as number) - 27);
  } catch {
    throw refused("recovery failed");
  }
}

interface SlotKey {
  readonly slot: Hash;
  readonly shown: string;
}

/** A slot and its spelling in the response: a full word as given, anything shorter as a quantity. */
function slotKey(text: string): SlotKey {
  const digits = text.replace(/^0[xX]/, "");
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw refused("hex string invalid");
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (even.length > 64) throw refused(`hex string too long, want at most 32 bytes`);
  const slot = leftPad(hexToBytes(`0x${even}`), 32);
  return { slot, shown: even.length === 64 ? bytesToHex(slot) : hexQuantity(bytesToBigint(slot)) };
}
