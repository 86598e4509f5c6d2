/** Bytes of message absorbed per permutation (Keccak with a capacity of 512 bits). */
export const RATE = 136;
/** Address of the state's 200 bytes in the module's memory. */
export const STATE_OFFSET = 0;
/** Address of the message. */
export const INPUT_OFFSET = 1024;
/** Size of the module's memory. */
export const MEMORY_BYTES = 2 * 65_536;
