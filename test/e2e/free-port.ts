import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral ports of Linux, so that no outgoing connection takes one before its program listens. */
const PORTS = { first: 20_000, end: 32_000 };
const handedOut = new Set<number>();

/** A port that nothing listens on, never the same twice. @throws Error after a hundred used ones */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error(`no port is free from ${PORTS.first} to ${PORTS.end}`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
