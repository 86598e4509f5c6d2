import type { Log } from "../../../protocol/block/receipt.ts";
import { type Address, bigintToFixedBytes, leftPad } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Tracer } from "../../evm/evm.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";

/** Stands for the native token where its transfers are shown as logs. @see ERC-7528 */
const NATIVE_TOKEN: Address = hexToBytes("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
/** Of `Transfer(address,address,uint256)`. */
const TRANSFER = hexToBytes("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const MOVES_VALUE: ReadonlySet<string> = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/** A log, and how many logs of contracts stand before it. */
interface PlacedLog {
  readonly log: Log;
  readonly place: number;
}

/** Watches a transaction for transfers of the native token, to show them among its logs as an ERC-20 token's. */
export class TransferLogs {
  readonly #state: StateJournal;
  #transfers: PlacedLog[] = [];
  /** How many transfers there were when each open frame began. */
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

  /** Logs of contracts and transfers in the order in which they happened. */
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
    const topics = [TRANSFER, leftPad(from, 32), leftPad(to, 32)];
    const log = { address: NATIVE_TOKEN, topics, data: bigintToFixedBytes(value, 32) };
    this.#transfers.push({ log, place: this.#state.logs.length });
  }
}
