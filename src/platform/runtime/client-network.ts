import { isIP } from "node:net";

/** The client an address counts as: itself, or for IPv6 its /64, since the owner of one address there has them all. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  if (address.startsWith(MAPPED)) return address.slice(MAPPED.length);
  const [head = "", tail] = address.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}

/** IPv4 as a listener on `::` sees it. */
const MAPPED = "::ffff:";

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}

/** Whether a client is a program on this machine. @param address - as reported by its socket */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address.startsWith(`${MAPPED}127.`);
}
