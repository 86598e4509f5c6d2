import { keccakModule } from "./keccak-module.ts";

/** The hash module. The build replaces this file with its bytes. */
export const bytes = (): Uint8Array => keccakModule();
