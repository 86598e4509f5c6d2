import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";

/** The address book of validators, their staking contracts and reward addresses. */
export const ADDRESS_BOOK: Address = hexToBytes("0x0000000000000000000000000000000000000400");

/** The registry of system contracts. @see KIP-149 */
export const REGISTRY: Address = hexToBytes("0x0000000000000000000000000000000000000401");

/** The mainnet credit contract, which names the first contributors. */
export const MAINNET_CREDIT: Address = ZERO_ADDRESS;
