import { type Address, equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { Execution } from "../execution.ts";

/** Address called by contracts that import `console.sol`: the text `console.log`, left-padded. It has no account. */
export const CONSOLE_ADDRESS: Address = hexToBytes("0x000000000000000000636f6e736f6c652e6c6f67");
/** Maximum number of calls recorded per run, and total size of their inputs; further ones are dropped. */
const MAX_CALLS = 256;
const MAX_BYTES = 32 * 1024;
/** Index of the first non-zero byte. */
const FIRST = 9;

/** Whether calls to an address write to the console. */
export function isConsole(address: Address): boolean {
  return address[FIRST] === CONSOLE_ADDRESS[FIRST] && equalBytes(address, CONSOLE_ADDRESS);
}

/** Records the input of a call to the console, which is in linear memory. */
export function recordConsoleCall(run: Execution, start: number, size: number): void {
  run.consoleCalls ??= [];
  const { consoleCalls } = run;
  if (consoleCalls.length === MAX_CALLS) return;
  const recorded = consoleCalls.reduce((sum, { length }) => sum + length, 0);
  const room = Math.min(size, MAX_BYTES - recorded);
  if (room > 0) consoleCalls.push(run.machine.u8.slice(start, start + room));
}
