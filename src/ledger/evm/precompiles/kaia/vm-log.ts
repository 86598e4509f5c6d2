import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import { pure } from "../define.ts";

/**
 * Writes a text to the log of the node (address 0x3fd; 0x09 before istanbul), without output. The log is a debugging option
 * of the reference node, off by default and not part of consensus, so the text is dropped here.
 */
export const vmLog = pure(
  "VMLOG",
  (length) => ({ gas: 100 + 20 * length, computation: 10 }),
  () => EMPTY_BYTES,
);
