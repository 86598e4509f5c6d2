import { pbkdf2Sync, scryptSync } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import { memoryOfScrypt } from "../../wallet/keystore/scrypt-memory.ts";
import { readDerivation } from "./derivation-message.ts";

// A process for one key: reads a message, writes the masked key. Its secrets vanish with it.
const [STDIN, STDOUT] = [0, 1];

const { how, secret, mask } = readDerivation(exactly);
const { salt, dklen } = how;
const key =
  how.kdf === "pbkdf2"
    ? pbkdf2Sync(secret, salt, how.c, dklen, "sha256")
    : scryptSync(secret, salt, dklen, { N: how.n, r: how.r, p: how.p, maxmem: memoryOfScrypt(how) });
for (let i = 0; i < dklen; i++) key[i] = (key[i] as number) ^ (mask[i] as number);
writeSync(STDOUT, key);

/** The next bytes of the message. @throws Error if it ends early, because the parent has exited */
function exactly(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const read = readSync(STDIN, bytes, at, length - at, null);
    if (read === 0) throw new Error("the message is cut off");
    at += read;
  }
  return bytes;
}
