import { keccak256 } from "./keccak.ts";

/** The four bytes that select a function of a contract. @param signature - canonical, such as `transfer(address,uint256)` */
export function selectorOf(signature: string): Uint8Array {
  return keccak256(new TextEncoder().encode(signature)).subarray(0, 4);
}
