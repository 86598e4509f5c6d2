import { createHash } from "node:crypto";
import { pure } from "./define.ts";
import { chunks, wordCount } from "./input.ts";

/** SHA-256 of the input (address 0x02). */
export const sha256 = pure(
  "SHA256",
  (length) => ({ gas: 60 + 12 * wordCount(length), computation: 1000 + 100 * wordCount(length) }),
  (input, { checkDeadline }) => {
    const hash = createHash("sha256");
    for (const chunk of chunks(input)) {
      checkDeadline();
      hash.update(chunk);
    }
    return Uint8Array.from(hash.digest());
  },
);
