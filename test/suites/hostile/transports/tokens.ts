import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKairn } from "../../../e2e/kairn-process.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, BLOCK_NUMBER, exchange, post, statusOf } from "./attacked-node.ts";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(secret: Uint8Array, alg: string, iat: number, hash = "sha256"): string {
  const text = `${part({ alg, typ: "JWT" })}.${part({ iat })}`;
  return `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;
}

async function checkTokens(port: number, wsPort: number, secret: Uint8Array): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const good = token(secret, "HS256", now);
  const cases: readonly (readonly [name: string, field: string, status: number])[] = [
    ["a good token", `Bearer ${good}`, 200],
    ["no token", "", 401],
    ["a token that is too old", `Bearer ${token(secret, "HS256", now - 120)}`, 401],
    ["a token of the future", `Bearer ${token(secret, "HS256", now + 120)}`, 401],
    ["a token of another secret", `Bearer ${token(randomBytes(32), "HS256", now)}`, 401],
    ["alg none", `Bearer ${token(secret, "none", now)}`, 401],
    ["alg none, unsigned", `Bearer ${token(secret, "none", now).replace(/\.[^.]*$/, ".")}`, 401],
    ["another algorithm", `Bearer ${token(secret, "HS512", now, "sha512")}`, 401],
    ["another scheme", `Basic ${good}`, 401],
  ];
  for (const [name, field, status] of cases) {
    const fields = `${field === "" ? "" : `Authorization: ${field}\r\n`}Connection: close\r\n`;
    const got = await statusOf(port, post(BLOCK_NUMBER, fields));
    hold(got === status, `${name} got ${got} instead of ${status}`);
    const upgrade =
      "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: " +
      `13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${field === "" ? "" : `Authorization: ${field}\r\n`}\r\n`;
    const switched = Number(/^HTTP\/1\.1 (\d{3})/.exec(await exchange(wsPort, upgrade, 1000))?.[1]);
    hold(switched === (status === 200 ? 101 : 401), `${name} got ${switched} for a WebSocket`);
  }
  return `${2 * cases.length} requests`;
}

export const tokens: readonly HostileRow[] = [
  {
    id: "S8",
    promise: "with a secret, only fresh tokens made with it are served",
    async run() {
      const folder = mkdtempSync(join(tmpdir(), "kairn-jwt-"));
      const secret = randomBytes(32);
      const file = join(folder, "secret");
      writeFileSync(file, secret.toString("hex"), { mode: 0o600 });
      const flags = ["--rpcport", "0", "--wsport", "0", "--rpc.jwtsecret", file];
      const node = startKairn(["dev", "--json", "--ephemeral", ...flags]);
      try {
        const { endpoints } = JSON.parse(await node.firstLine()) as Pick<AttackedNode, "endpoints">;
        const [port, wsPort] = [endpoints.http, endpoints.ws].map((url) => Number(new URL(url).port));
        return await checkTokens(port as number, wsPort as number, secret);
      } finally {
        node.child.kill("SIGINT");
        await node.exited;
        rmSync(folder, { recursive: true });
      }
    },
  },
];
