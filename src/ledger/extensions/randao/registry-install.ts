import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import {
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  type Hash,
  leftPad,
} from "../../../protocol/primitives/bytes.ts";
import type { BlockHooks, BlockOutcome } from "../../chain/execute/consensus-rules.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { REGISTRY } from "../contracts/addresses.ts";
import { REGISTRY_CODE } from "./registry-code.ts";

type RegistryConfig = NonNullable<ChainConfig["randaoRegistry"]>;

/** Installs the registry of system contracts in the randao fork block. @see KIP-149 */
export function registryInstallHooks(config: ChainConfig): BlockHooks {
  return {
    finalize({ header }: BlockOutcome, state: StateJournal): void {
      if (config.forks.randao === header.number) installRegistry(state, config.randaoRegistry);
    },
  };
}

function installRegistry(state: StateJournal, config: RegistryConfig | undefined): void {
  if (!state.exists(REGISTRY)) state.createContract(REGISTRY);
  state.setCode(REGISTRY, REGISTRY_CODE, state.account(REGISTRY)?.codeInfo ?? 0);
  if (config === undefined) return;
  for (const { slot, value } of registryStorage(config)) state.setStorage(REGISTRY, slot, value);
}

/** A storage slot and its word. */
interface SlotWord {
  readonly slot: Hash;
  readonly value: Hash;
}

/**
 * Storage of a registry with one record per name, active from block 0. Layout of the contract: slot 0 mapping from name to
 * records (address, activation), slot 1 names, slot 2 owner.
 * @see Solidity, "Layout of State Variables in Storage"
 */
export function registryStorage({ records, owner }: RegistryConfig): readonly SlotWord[] {
  const names = Object.keys(records).sort();
  return [
    ...names.flatMap((name) => recordSlots(name, records[name] as Uint8Array)),
    { slot: word(1n), value: word(BigInt(names.length)) },
    ...names.flatMap((name, i) => stringSlots(plus(keccak256(word(1n)), i), name)),
    { slot: word(2n), value: leftPad(owner, 32) },
  ];
}

function recordSlots(name: string, address: Uint8Array): SlotWord[] {
  const length = keccak256(concat(new TextEncoder().encode(name), word(0n)));
  return [
    { slot: length, value: word(1n) },
    { slot: keccak256(length), value: leftPad(address, 32) },
  ];
}

/** Up to 31 bytes are stored in the slot itself, with twice their length; longer text at the slot's hash. */
function stringSlots(slot: Hash, text: string): SlotWord[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length < 32) {
    const value = new Uint8Array(32);
    value.set(bytes);
    value[31] = 2 * bytes.length;
    return [{ slot, value }];
  }
  const parts = Array.from({ length: Math.ceil(bytes.length / 32) }, (_, i) => {
    const value = new Uint8Array(32);
    value.set(bytes.subarray(32 * i, 32 * i + 32));
    return { slot: plus(keccak256(slot), i), value };
  });
  return [{ slot, value: word(BigInt(2 * bytes.length + 1)) }, ...parts];
}

function plus(slot: Hash, offset: number): Hash {
  return word(BigInt.asUintN(256, bytesToBigint(slot) + BigInt(offset)));
}

function word(value: bigint): Hash {
  return bigintToFixedBytes(value, 32);
}
