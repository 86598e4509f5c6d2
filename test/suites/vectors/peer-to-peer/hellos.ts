import { lookup } from "node:dns/promises";
import { formatNodeUrl, parseNodeUrl } from "../../../../src/network/p2p/node-url.ts";
import { sharedCapabilities } from "../../../../src/network/p2p/wire/capabilities.ts";
import { decodeDisconnect, encodeDisconnect } from "../../../../src/network/p2p/wire/disconnect.ts";
import { decodeHello, encodeHello } from "../../../../src/network/p2p/wire/hello.ts";
import { bytesToHex as hex, hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import { casesOf, failureOf, same } from "../vector-case.ts";
import type { Published } from "./published.ts";

/** network/hello.json: hellos, messages in their place, disconnects, and shared protocols. */
export const hellos = casesOf((vector: Published) => {
  if (vector.ours !== undefined) return sharedCase(vector);
  const payload = hexToBytes(vector.payload);
  if (vector.code === 1) {
    const reason = decodeDisconnect(payload);
    // In place of a hello the reference node reads every disconnect reason as 0; this node decodes it.
    if (vector.name.startsWith("disconnect ")) same(reason, vector.reason, "reason");
    if (vector.error === null) same(hex(encodeDisconnect(reason)), vector.payload, "written");
    return;
  }
  if (vector.code !== 0) return;
  if (vector.hello === undefined) {
    same(failureOf(() => decodeHello(payload)) === null, vector.error === null, "accepted");
    return;
  }
  const hello = decodeHello(payload);
  const { extraItems, caps, ...expected } = vector.hello;
  const { capabilities, isMultichannel, id, ...rest } = hello;
  same(
    {
      ...rest,
      id: hex(id),
      multichannel: isMultichannel,
      caps: capabilities.map(({ name, version }) => `${name}/${version}`),
    },
    { ...expected, caps: caps ?? [] },
    "hello",
  );
  if (extraItems === 0) same(hex(encodeHello(hello)), vector.payload, "written");
});

function sharedCase({ ours, theirs, shared }: Published): void {
  const parse = (list: string) =>
    list
      .split(" ")
      .filter(Boolean)
      .map((one) => {
        const [name = "", version] = one.split("/");
        return {
          name,
          version: Number(version),
          codes: { 67: 26, 66: 24, 65: 23, 64: 21 }[Number(version)] ?? 8,
        };
      });
  const found = sharedCapabilities(parse(ours), parse(theirs));
  same(
    Object.fromEntries(found.map(({ name, version, offset }) => [name, [version, offset]])),
    shared,
    "shared",
  );
}

/** network/node-urls.json: URLs decoded and encoded, and the error texts of invalid ones. */
export const nodeUrls = casesOf(async (vector: Published) => {
  if (vector.error !== null)
    return same(
      failureOf(() => parseNodeUrl(vector.url)),
      vector.error,
      "error",
    );
  const node = parseNodeUrl(vector.url);
  const host = node.host === "localhost" ? (await lookup("localhost", { family: 4 })).address : node.host;
  const { id, tcp, udp, type, subports } = node;
  same(
    {
      ...{ id: hex(id), tcp, udp, type, ports: [...subports, tcp], incomplete: host === undefined },
      ...(host !== undefined && { ip: host }),
    },
    {
      ...{ id: vector.id, tcp: vector.tcp, udp: vector.udp, type: vector.type, ports: vector.ports },
      ...{ incomplete: vector.incomplete, ...(vector.ip !== undefined && { ip: vector.ip }) },
    },
    "node",
  );
  same(formatNodeUrl({ ...node, ...(host !== undefined && { host }) }), vector.written, "written");
});
