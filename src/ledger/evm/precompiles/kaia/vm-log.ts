import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import { pure } from "../define.ts";

/**
 * Takes a text for the node's own log (address 0x3fd; 0x09 before istanbul) and answers nothing. The log is an option
 * of a debug build of the reference and off by default; it is no part of consensus, so the text is dropped here.
 */
export const vmLog = pure(
  "VMLOG",
  (length) => ({ gas: 100 + 20 * length, computation: 10 }),
  () => EMPTY_BYTES,
);
