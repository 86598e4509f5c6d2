import { keccakModule } from "./keccak-module.ts";

/** The module that hashes. The build writes its bytes in place of this file. */
export const bytes = (): Uint8Array => keccakModule();
