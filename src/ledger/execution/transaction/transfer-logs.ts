import type { Log } from "../../../protocol/block/receipt.ts";
import { type Address, bigintToFixedBytes, leftPad } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Tracer } from "../../evm/evm.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";

/** Pseudo-address of the native token, for its transfers shown as logs. @see ERC-7528 */
const NATIVE_TOKEN: Address = hexToBytes("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
/** Topic of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = hexToBytes(
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
);
const MOVES_VALUE: ReadonlySet<string> = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/** A log, and the number of contract logs before it. */
interface PlacedLog {
  readonly log: Log;
  readonly place: number;
}

/** Traces transfers of the native token in a transaction, to show them among its logs like those of an ERC-20 token. */
export class TransferLogs {
  readonly #state: StateJournal;
  #transfers: PlacedLog[] = [];
  /** Number of transfers before each open call frame. */
  readonly #begun: number[] = [];
  readonly tracer: Tracer;

  constructor(state: StateJournal) {
    this.#state = state;
    this.tracer = {
      enter: ({ kind, from, to, value }) => {
        this.#begun.push(this.#transfers.length);
        if (value > 0n && MOVES_VALUE.has(kind)) this.#note(from, to, value);
      },
      exit: ({ outcome }) => {
        const begun = this.#begun.pop();
        if (outcome !== "success") this.#transfers.length = begun ?? 0;
      },
    };
  }

  /** Contract logs and transfers, in order of occurrence. */
  among(logs: readonly Log[]): Log[] {
    const all: Log[] = [];
    let next = 0;
    for (let place = 0; place <= logs.length; place++) {
      for (; this.#transfers[next]?.place === place; next++)
        all.push((this.#transfers[next] as PlacedLog).log);
      if (place < logs.length) all.push(logs[place] as Log);
    }
    return all;
  }

  #note(from: Address, to: Address, value: bigint): void {
    const topics = [TRANSFER_TOPIC, leftPad(from, 32), leftPad(to, 32)];
    const log = { address: NATIVE_TOKEN, topics, data: bigintToFixedBytes(value, 32) };
    this.#transfers.push({ log, place: this.#state.logs.length });
  }
}
