import { isIPv4, isIPv6 } from "node:net";

/** Prefix of an IPv4-mapped IPv6 address. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Text of an IP address of 4 or 16 bytes, with IPv4-mapped ones in IPv4 notation; undefined for other lengths. */
export function hostOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  if (MAPPED.every((byte, i) => byte === bytes[i])) return bytes.subarray(12).join(".");
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number)).toString(16),
  );
  return shortened(groups.join(":"));
}

/**
 * Bytes of an IP address: 4, or 16 for IPv6.
 * @throws RangeError for anything else
 */
export function ipBytesOf(host: string): Uint8Array {
  if (isIPv4(host)) return Uint8Array.from(host.split("."), Number);
  const [plain = ""] = host.split("%");
  if (!isIPv6(plain)) throw new RangeError(`${host} is not an IP address`);
  const [head = "", tail] = shortened(plain).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

/** An IPv6 address in its shortest form. @see RFC 5952 */
function shortened(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function groupsOf(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
