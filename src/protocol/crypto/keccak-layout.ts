/** Bytes of message that one permutation takes in (Keccak with a capacity of 512 bits). */
export const RATE = 136;
/** Where the state's 200 bytes lie in the module's memory. */
export const STATE_OFFSET = 0;
/** Where the message begins. */
export const INPUT_OFFSET = 1024;
/** Size of the module's memory. */
export const MEMORY_BYTES = 2 * 65_536;
