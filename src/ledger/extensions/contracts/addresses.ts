import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";

/** Where the address book of validators, their staking contracts and reward addresses stands. */
export const ADDRESS_BOOK: Address = hexToBytes("0x0000000000000000000000000000000000000400");

/** Where the registry of system contracts stands. @see KIP-149 */
export const REGISTRY: Address = hexToBytes("0x0000000000000000000000000000000000000401");

/** Where the main network keeps the contract that names its first contributors. */
export const MAINNET_CREDIT: Address = ZERO_ADDRESS;
