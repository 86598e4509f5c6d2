import { newEoa } from "../../../src/protocol/account/account.ts";
import { decodeAccount, encodeAccount } from "../../../src/protocol/account/account-codec.ts";
import { accountToJson } from "../../../src/protocol/account/account-json.ts";
import {
  checksumAddress,
  contractAddress,
  saltedContractAddress,
} from "../../../src/protocol/account/address.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { MapState } from "./map-state.ts";
import { casesOf, same } from "./vector-case.ts";

/** account.json: trie values and the JSON of the account RPC. */
export const account = casesOf((vector) => {
  const decoded = decodeAccount(hexToBytes(vector.rlp));
  same(bytesToHex(encodeAccount(decoded)), vector.rlp, "rlp");
  same(JSON.parse(JSON.stringify(accountToJson(decoded))), vector.json, "json");
});

/** state-root.json: roots over plain accounts. */
export const stateRoot = casesOf(({ accounts, stateRoot: root }) => {
  const state = new MapState();
  for (const [address, { nonce, balance }] of Object.entries<{ nonce: number; balance: string }>(accounts)) {
    state.setAccount(hexToBytes(address), { ...newEoa(BigInt(balance)), nonce: BigInt(nonce) });
  }
  same(bytesToHex(state.root()), root, "root");
});

/** contract-address.json: CREATE, CREATE2 and the checksum spelling. */
export const addresses = casesOf((vector) => {
  const from = hexToBytes(vector.from);
  const salted = saltedContractAddress(from, hexToBytes(vector.salt), hexToBytes(vector.initCodeHash));
  same(checksumAddress(from), vector.checksum, "checksum");
  same(bytesToHex(contractAddress(from, BigInt(vector.nonce))), vector.create, "create");
  same(bytesToHex(salted), vector.create2, "create2");
});
