import { contractAddress, saltedContractAddress } from "../../../../protocol/account/address.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import { type HostAnswer, Question, Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { writeWord } from "./words.ts";

/** Answers what a script asks of the state, and of addresses of contracts. */
export class StateAnswers {
  readonly #engine: ScriptEngine;
  readonly #state: StateJournal;

  constructor(engine: ScriptEngine, state: StateJournal) {
    this.#engine = engine;
    this.#state = state;
  }

  answer(question: number, bytes: () => Uint8Array): HostAnswer {
    const { registers } = this.#engine;
    const address = this.#address();
    switch (question) {
      case Question.balance:
        return writeWord(this.#engine, this.#state.balance(address));
      case Question.nonce:
        registers[Register.out] = Number(this.#state.nonce(address));
        return undefined;
      case Question.exists:
        registers[Register.out] = this.#state.exists(address) ? 1 : 0;
        return undefined;
      case Question.code:
        return this.#state.code(address);
      case Question.slot:
        return this.#state.storage(address, this.#word());
      case Question.contract:
        return contractAddress(address, BigInt.asUintN(64, BigInt(registers[Register.a] as number)));
      case Question.contract2:
        return saltedContractAddress(address, this.#word(), keccak256(bytes()));
      default:
        return undefined;
    }
  }

  #address(): Address {
    return this.#engine.bytes.slice(12);
  }

  /** The word that lies in the limbs as bytes. */
  #word(): Hash {
    const { words } = this.#engine;
    return new Uint8Array(words.buffer, words.byteOffset, 32).slice();
  }
}
