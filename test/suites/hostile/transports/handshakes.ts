import { once } from "node:events";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { firstBytes } from "../../../../src/platform/http/testing/first-bytes.ts";
import { heldAsking } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { BLOCK_NUMBER, openSocket } from "./attacked-node.ts";
import { onTlsNode, type TlsNode } from "./tls-node.ts";

/** Clients that begin their handshakes at the same time. */
const CLIENTS = 400;
/** Maximum CPU time in milliseconds for which the main thread may be held: 400 handshakes take 1.5 s of it. */
const MAX_HELD = 250;
const FIRST_BYTES_MS = 2_000;
const ANSWERS_MS = 60_000;

/** Groups offered by a client: by default, and such that its first key is for one that the node does not take. */
const KINDS = { usual: "X25519:prime256v1", "second hellos": "secp521r1:prime256v1" } as const;

/** Asks over one connection. */
export function asker(url: string): { ask(): Promise<void>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const headers = { "content-type": "application/json", host: "localhost" };
  return {
    close: () => agent.destroy(),
    ask: () =>
      new Promise((resolve, reject) => {
        const asked = request(url, { method: "POST", agent, headers }, (response) => {
          response.resume().once("end", resolve);
        });
        asked.once("error", reject).end(BLOCK_NUMBER);
      }),
  };
}

/** All clients complete what they send at the same time. @returns how many got an answer, and the longest time without a turn */
async function storm(node: TlsNode, hello: Buffer): Promise<[number, number]> {
  const { http } = node.endpoints;
  const { ask, close } = asker(http);
  await ask();
  const clients = Array.from({ length: CLIENTS }, () => openSocket(Number(new URL(http).port)));
  for (const client of clients) client.write(hello.subarray(0, -1));
  await sleep(FIRST_BYTES_MS);
  let answered = 0;
  const ends = clients.map(async (client) => {
    client.write(hello.subarray(-1));
    const first = await Promise.race([once(client, "data"), once(client, "close")]);
    if (Buffer.isBuffer(first[0])) answered++;
  });
  const held = Math.max(
    ...(await heldAsking(node, Promise.race([Promise.all(ends), sleep(ANSWERS_MS)]), ask)),
  );
  for (const client of clients) client.destroy();
  close();
  return [answered, held];
}

async function attack(node: TlsNode): Promise<string> {
  const figures: string[] = [];
  for (const [kind, groups] of Object.entries(KINDS)) {
    const [answered, held] = await storm(node, await firstBytes({ ecdhCurve: groups }));
    figures.push(`${kind}: ${answered} of ${CLIENTS} answered, the main thread held for ${held} ms at most`);
    hold(held < MAX_HELD, figures.join("; "));
    if (kind === "usual") hold(answered === CLIENTS, figures.join("; "));
  }
  return figures.join("; ");
}

/** Handshakes are the most costly thing that a stranger can ask for before any rule applies. */
export const handshakes: HostileRow = {
  id: "S9h",
  promise: "TLS handshakes that begin together take turns, with other work between them",
  run: () => onTlsNode("costly", attack),
};
