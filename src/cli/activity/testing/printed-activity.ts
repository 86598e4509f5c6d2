import { vi } from "vitest";
import type { CallEvent, NodeEvent, TransactionEvent } from "../../../node/index.ts";
import { TRANSACTION_TYPES } from "../../../protocol/transaction/type-table.ts";
import { ActivityPrinter, type ActivityPrinterOptions } from "../activity-printer.ts";

export const GAS_PRICE = 25n * 10n ** 9n;

/** A transaction of a type, with its receipt. */
export function transaction(
  name: string,
  more: Partial<TransactionEvent["transaction"]> = {},
): TransactionEvent {
  const type = TRANSACTION_TYPES.find((row) => row.name === `TxType${name}`);
  if (type === undefined) throw new Error(name);
  const fee = 21_000n * GAS_PRICE;
  return {
    kind: "transaction",
    hash: new Uint8Array(32).fill(0xab),
    blockNumber: 12n,
    index: 0,
    transaction: {
      ...{ type, nonce: 0n, gas: 50_000n, gasPrice: GAS_PRICE, value: 0n },
      ...{ input: new Uint8Array(), signatures: [], to: new Uint8Array(20).fill(0x22) },
      ...more,
    },
    sender: new Uint8Array(20).fill(0x11),
    receipt: { status: 1, gasUsed: 21_000n, bloom: new Uint8Array(256), logs: [] },
    ...{ price: GAS_PRICE, fee, shares: { sender: fee, feePayer: 0n }, console: [] },
  };
}

/** A call of a method. */
export function called(method: string, more: Partial<CallEvent> = {}): CallEvent {
  return { kind: "call", method, durationMs: 1, console: [], ...more };
}

/** A block of a number of transactions. */
export function block(number: bigint, transactions = 0): NodeEvent {
  return { kind: "block", number, hash: new Uint8Array(32), time: 1n, transactions, gasUsed: 0n };
}

/** A terminal, pipe or file that drains when the test lets it. */
export class Reader {
  text = "";
  writableLength = 0;
  isHeld = false;
  columns = 80;
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): boolean {
    this.text += text;
    if (this.isHeld) this.writableLength += text.length;
    return true;
  }
}

/** Prints into a reader, under fake timers. */
export function printing() {
  let reader = new Reader(false);
  return {
    /** What the latest printer writes to. */
    reader: () => reader,
    start(options: Partial<ActivityPrinterOptions> = {}, isTTY = false): ActivityPrinter {
      reader = new Reader(isTTY);
      return new ActivityPrinter({
        stream: reader as never,
        env: {},
        isJson: false,
        verbosity: 2,
        ...options,
      });
    },
    /** Prints events at once. @returns what is written */
    async printed(printer: ActivityPrinter, ...events: readonly NodeEvent[]): Promise<string> {
      const before = reader.text.length;
      for (const event of events) printer.print(event);
      await vi.advanceTimersByTimeAsync(50);
      return reader.text.slice(before);
    },
  };
}
