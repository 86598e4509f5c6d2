import { contractAddress, saltedContractAddress } from "../../../../protocol/account/address.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import { HostRequest, type HostResponse, Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { writeWord } from "./words.ts";

/** Answers a script's requests about the state and contract addresses. */
export class StateRequests {
  readonly #engine: ScriptEngine;
  readonly #state: StateJournal;

  constructor(engine: ScriptEngine, state: StateJournal) {
    this.#engine = engine;
    this.#state = state;
  }

  answer(request: number, bytes: () => Uint8Array): HostResponse {
    const { registers } = this.#engine;
    const address = this.#address();
    switch (request) {
      case HostRequest.balance:
        return writeWord(this.#engine, this.#state.balance(address));
      case HostRequest.nonce:
        registers[Register.out] = Number(this.#state.nonce(address));
        return undefined;
      case HostRequest.exists:
        registers[Register.out] = this.#state.exists(address) ? 1 : 0;
        return undefined;
      case HostRequest.code:
        return this.#state.code(address);
      case HostRequest.slot:
        return this.#state.storage(address, this.#word());
      case HostRequest.contract:
        return contractAddress(address, BigInt.asUintN(64, BigInt(registers[Register.a] as number)));
      case HostRequest.contract2:
        return saltedContractAddress(address, this.#word(), keccak256(bytes()));
      default:
        return undefined;
    }
  }

  #address(): Address {
    return this.#engine.bytes.slice(12);
  }

  /** The bytes of the shared word in limbs. */
  #word(): Hash {
    const { words } = this.#engine;
    return new Uint8Array(words.buffer, words.byteOffset, 32).slice();
  }
}
