/** The first funded account of a development chain. */
export const ALICE = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** The second one. */
export const BOB = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

/** The identity precompile, which every chain has. */
export const IDENTITY = "0x0000000000000000000000000000000000000004";
