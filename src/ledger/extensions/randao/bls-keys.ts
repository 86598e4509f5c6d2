import type { Bls } from "../../../protocol/crypto/bls.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { type Address, isZeroBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../protocol/primitives/lru.ts";
import type { Ancestry } from "../../chain/execute/consensus-rules.ts";
import type { StateReader } from "../../state/state.ts";
import { AbiOutput, callInput } from "../contracts/abi.ts";
import { REGISTRY } from "../contracts/addresses.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { activeAddress } from "../contracts/registry.ts";
import { ExtensionError } from "../errors.ts";

/** Name of the contract with the validators' BLS keys. */
const KEY_REGISTRY = "KIP113";

/** A validator's key as registered in the contract. */
export interface BlsKeyRecord {
  /** 48 bytes when valid. */
  readonly publicKey: Uint8Array;
  /** Proof of possession, 96 bytes when valid. */
  readonly possession: Uint8Array;
}

/** Dependencies for reading BLS keys. */
export interface BlsKeysParts {
  readonly config: ChainConfig;
  readonly ancestry: Ancestry;
  readonly contracts: ContractReader;
  readonly bls: Bls;
}

/** The validators' BLS public keys from the KIP-113 contract, reread only when a contract's storage has changed. */
export class BlsKeys {
  readonly #parts: BlsKeysParts;
  readonly #records = new LruMap<string, ReadonlyMap<string, BlsKeyRecord>>(16);

  constructor(parts: BlsKeysParts) {
    this.#parts = parts;
  }

  /**
   * Public key, 48 bytes, of a block's proposer.
   * @throws ExtensionError if it has none or its proof of possession is invalid
   */
  publicKey(proposer: Address, number: bigint): Uint8Array {
    const record = this.all(number).get(bytesToHex(proposer));
    if (record === undefined) throw new ExtensionError("RANDAO", "bls pubkey not found for the proposer");
    if (!this.isPossessed(record)) throw new ExtensionError("RANDAO", "KIP113 PoP verification failed");
    return record.publicKey;
  }

  /** All records in force at a block, by node id in lower-case hex. @throws ExtensionError */
  all(number: bigint): ReadonlyMap<string, BlsKeyRecord> {
    if (number === 0n) throw new ExtensionError("RANDAO", "block number cannot be zero");
    this.#parent(number);
    const state = this.#parts.ancestry.stateAt(number - 1n);
    if (state === undefined) throw new ExtensionError("HISTORY_MISSING", "pruned ancestor", { number });
    const contract = this.#contractAt(number, state);
    const version = [contract, REGISTRY].map((address) => storageVersion(state, address)).join();
    let records = this.#records.get(version);
    if (records === undefined) {
      records = this.#read(number, state, contract);
      this.#records.set(version, records);
    }
    return records;
  }

  /** In the fork block itself the registry does not exist yet, so the contract is taken from the configuration. */
  #contractAt(number: bigint, state: StateReader): Address {
    const { config, contracts } = this.#parts;
    if (config.forks.randao === number) {
      const configured = config.randaoRegistry?.records[KEY_REGISTRY];
      if (configured !== undefined) return configured;
      throw new ExtensionError("RANDAO", "kip113 address not set in ChainConfig");
    }
    const address = activeAddress(contracts, state, this.#parent(number), KEY_REGISTRY);
    if (isZeroBytes(address)) throw new ExtensionError("RANDAO", "KIP113 contract not registered");
    return address;
  }

  #read(number: bigint, state: StateReader, contract: Address): ReadonlyMap<string, BlsKeyRecord> {
    const output = this.#parts.contracts.call(
      state,
      this.#parent(number),
      contract,
      callInput("getAllBlsInfo()"),
    );
    if (output === undefined) throw new ExtensionError("RANDAO", "KIP113 call returned bad data");
    return parseRecords(output);
  }

  #parent(number: bigint) {
    const header = this.#parts.ancestry.header(number - 1n);
    if (header === undefined) throw new ExtensionError("HISTORY_MISSING", "unknown ancestor", { number });
    return header;
  }

  /** Whether a record's proof of possession is valid. */
  isPossessed(record: BlsKeyRecord): boolean {
    return this.#parts.bls.verifyPossession(record.possession, record.publicKey);
  }
}

function parseRecords(bytes: Uint8Array): ReadonlyMap<string, BlsKeyRecord> {
  const output = new AbiOutput(bytes);
  const nodes = output.addresses(0);
  const records = output.array(1, (elements, index) => {
    const record = elements.tuple(index);
    return { publicKey: record.bytes(0).slice(), possession: record.bytes(1).slice() };
  });
  if (nodes.length !== records.length) throw new ExtensionError("RANDAO", "KIP113 call returned bad data");
  return new Map(nodes.map((node, i) => [bytesToHex(node), records[i] as BlsKeyRecord]));
}

function storageVersion(state: StateReader, address: Address): string {
  const account = state.account(address);
  return `${bytesToHex(address)}:${account === undefined ? "" : bytesToHex(account.storageRoot)}`;
}
