import { leftPad } from "../../../protocol/primitives/bytes.ts";
import { lazyModule } from "./curves.ts";
import { pure } from "./define.ts";
import { chunks, wordCount } from "./input.ts";

const legacy = lazyModule<typeof import("@noble/hashes/legacy.js")>("@noble/hashes/legacy.js");

/** RIPEMD-160 of the input, padded to 32 bytes (address 0x03). Not from OpenSSL, since some builds lack it. */
export const ripemd160 = pure(
  "RIPEMD160",
  (length) => ({ gas: 600 + 120 * wordCount(length), computation: 100 + 10 * wordCount(length) }),
  (input, { checkDeadline }) => {
    const hash = legacy().ripemd160.create();
    for (const chunk of chunks(input)) {
      checkDeadline();
      hash.update(chunk);
    }
    return leftPad(hash.digest(), 32);
  },
);
