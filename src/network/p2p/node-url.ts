import { isIP, isIPv6 } from "node:net";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { PeerError } from "./errors.ts";

/** Node types, by their numbers in discovery. */
export const NodeType = { unknown: 0, cn: 1, pn: 2, en: 3, bn: 4 } as const;
/** One of the node types. */
export type NodeType = (typeof NodeType)[keyof typeof NodeType];

const TYPE_NAMES = ["cn", "pn", "en", "bn"] as const;
/** Hexadecimal digits of a node id. */
const ID_DIGITS = 128;
/** A node id without an address. */
const BARE_ID = /^(?:kni:\/\/|enode:\/\/)?([0-9a-f]+)$/i;
/** Maximum length of a URL. */
const MAX_URL_LENGTH = 1024;

/** The endpoint of a node. */
export interface NodeUrl {
  /** Public key, 64 bytes. */
  readonly id: Uint8Array;
  /** IP address or host name; absent in an incomplete URL, which discovery must resolve. */
  readonly host?: string;
  /** 0 without a host. */
  readonly tcp: number;
  /** 0 if the node takes no part in discovery. */
  readonly udp: number;
  /** Additional TCP ports of a multichannel node. */
  readonly subports: readonly number[];
  /** One of `NodeType`, or an unknown number. */
  readonly type: number;
}

/**
 * Parses `kni://ID@HOST:TCP[?subport=N][&discport=N][&ntype=cn|pn|en|bn]`; `enode://` and a bare node id are accepted too.
 * @throws PeerError `NODE_URL` with the reference's text
 */
export function parseNodeUrl(text: string): NodeUrl {
  if (text.length > MAX_URL_LENGTH) throw invalid("URL is too long");
  const bareId = BARE_ID.exec(text)?.[1];
  if (bareId !== undefined) return incomplete(bareId);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== "kni" && scheme !== "enode") throw invalid('invalid URL scheme, want "kni"');
  const rest = text.slice(scheme.length + 3);
  const [authority = "", query = ""] = split(rest, "?");
  const [place = ""] = split(authority, "/");
  const at = place.indexOf("@");
  if (at < 0) throw invalid("does not contain node ID");
  const id = parseId(place.slice(0, at));
  const { host, port } = parseHost(place.slice(at + 1));
  return { id, host, tcp: port, ...parseQuery(new URLSearchParams(query), port) };
}

/** Formats a node URL as the reference does. */
export function formatNodeUrl({ id, host, tcp, udp, subports, type }: NodeUrl): string {
  const name = bytesToHex(id).slice(2);
  if (host === undefined) return `kni://${name}`;
  const query = [
    ...subports.map((port) => `subport=${port}`),
    ...(udp === tcp ? [] : [`discport=${udp}`]),
    ...(type === NodeType.unknown ? [] : [`ntype=${TYPE_NAMES[type - 1] ?? "unknown"}`]),
  ].join("&");
  const address = isIPv6(host) ? `[${host}]` : host;
  return `kni://${name}@${address}:${tcp}${query && `?${query}`}`;
}

function incomplete(text: string): NodeUrl {
  return { id: parseId(text), tcp: 0, udp: 0, subports: [], type: NodeType.unknown };
}

/** @param text - 128 digits, with or without 0x */
function parseId(text: string): Uint8Array {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  for (const digit of digits) {
    if (!/[0-9a-f]/i.test(digit)) {
      const code = digit.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
      throw invalid(`invalid node ID (encoding/hex: invalid byte: U+${code} '${digit}')`);
    }
  }
  if (digits.length % 2 === 1) throw invalid("invalid node ID (encoding/hex: odd length hex string)");
  if (digits.length !== ID_DIGITS) {
    throw invalid(`invalid node ID (wrong length, want ${ID_DIGITS} hex chars)`);
  }
  return hexToBytes(`0x${digits}`);
}

function parseHost(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(":");
  const name = text.slice(0, colon);
  const host = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  const port = parsePort(text.slice(colon + 1));
  if (colon < 0 || port === undefined) throw invalid("invalid port");
  if (isIP(host) === 0 && !/^[a-z0-9.-]{1,253}$/i.test(host)) throw invalid("invalid IP address");
  return { host, port };
}

function parseQuery(query: URLSearchParams, tcp: number): Pick<NodeUrl, "udp" | "subports" | "type"> {
  const discport = query.get("discport");
  const udp = discport === null ? tcp : parsePort(discport);
  if (udp === undefined) throw invalid("invalid discport in query");
  const subports = query
    .getAll("subport")
    .map(parsePort)
    .filter((port) => port !== undefined);
  const name = query.get("ntype") as (typeof TYPE_NAMES)[number];
  return { udp, subports, type: (TYPE_NAMES.indexOf(name) + 1) as NodeType };
}

function parsePort(text: string): number | undefined {
  return /^[0-9]{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : undefined;
}

/** Splits at the first `separator`. */
function split(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function invalid(reason: string): PeerError {
  return new PeerError("NODE_URL", reason);
}
