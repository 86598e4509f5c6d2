import { pure } from "./define.ts";
import { wordCount } from "./input.ts";

/** The input itself (address 0x04). */
export const identity = pure(
  "ID",
  (length) => ({ gas: 15 + 3 * wordCount(length), computation: 0 }),
  (input) => input.slice(),
);
