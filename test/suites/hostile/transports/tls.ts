import { once } from "node:events";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { WebSocket } from "ws";
import { runKairn, startKairn } from "../../../e2e/kairn-process.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, BLOCK_NUMBER, exchange, openSocket, post } from "./attacked-node.ts";

/** Connections that never begin the handshake: more than a listener takes. */
const SILENT = 1200;

interface Files {
  readonly cert: string;
  readonly key: string;
}

function put(name: string, { cert, key }: Files): void {
  const fixture = (part: string) => new URL(`../../../fixtures/tls/${name}.${part}.pem`, import.meta.url);
  copyFileSync(fixture("cert"), cert);
  copyFileSync(fixture("key"), key);
  chmodSync(key, 0o600);
}

function callOver(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", host: "localhost" };
    const asked = request(url, { method: "POST", headers, rejectUnauthorized: false }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve(text);
    });
    asked.on("error", reject).end(BLOCK_NUMBER);
  });
}

async function callOverWebSocket(url: string): Promise<string> {
  const socket = new WebSocket(url, { rejectUnauthorized: false });
  await once(socket, "open");
  socket.send(BLOCK_NUMBER);
  const [data] = await once(socket, "message");
  socket.terminate();
  return String(data);
}

async function nameServed(port: number): Promise<string> {
  const socket: TLSSocket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

async function attack({ http, ws }: AttackedNode["endpoints"], files: Files): Promise<string> {
  const port = Number(new URL(http).port);
  hold(http.startsWith("https:") && ws.startsWith("wss:"), `${http} ${ws}`);
  hold((await callOver(http)).includes('"result"'), "no answer over HTTPS");
  hold((await callOverWebSocket(ws)).includes('"result"'), "no answer over a WebSocket");
  const plain = await exchange(port, post(BLOCK_NUMBER), 2000);
  hold(!plain.includes("result"), "plain HTTP is answered");
  const silent = Array.from({ length: SILENT }, () => openSocket(port));
  await Promise.all(silent.map(settled));
  await callOver(http);
  const left = silent.filter(({ readyState }) => readyState === "open").length;
  hold(left > 0, "a call waited until all silent handshakes had ended");
  for (const socket of silent) socket.destroy();
  put("second", files);
  const renewed = await nameServed(port);
  hold(renewed === "kairn test second", `${renewed} is served after the renewal`);
  return `HTTPS and WSS answer, plain HTTP does not; a call is answered while ${left} of ${SILENT} handshakes are silent; renewed`;
}

/** Resolves once a socket is connected, or closed. */
function settled(socket: Socket): Promise<unknown> {
  return socket.readyState === "opening"
    ? Promise.race([once(socket, "connect"), once(socket, "close")])
    : Promise.resolve();
}

async function refusedStart({ cert, key }: Files): Promise<void> {
  writeFileSync(key, "no key");
  const { code, stderr } = await runKairn(["dev", "--ephemeral", "--tls.cert", cert, "--tls.key", key]);
  hold(code === 78 && stderr.includes(key), `with a bad key the node exits with ${code}: ${stderr}`);
}

export const tls: readonly HostileRow[] = [
  {
    id: "S9",
    promise: "with a certificate nothing is served unencrypted, renewed files are loaded, bad ones rejected",
    async run() {
      const folder = mkdtempSync(join(tmpdir(), "kairn-tls-"));
      const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
      put("first", files);
      const flags = ["--rpcport", "0", "--wsport", "0", "--tls.cert", files.cert, "--tls.key", files.key];
      const node = startKairn(["dev", "--json", "--ephemeral", ...flags]);
      try {
        const { endpoints } = JSON.parse(await node.firstLine()) as Pick<AttackedNode, "endpoints">;
        const reached = await attack(endpoints, files);
        await refusedStart(files);
        return reached;
      } finally {
        node.child.kill("SIGINT");
        await node.exited;
        rmSync(folder, { recursive: true });
      }
    },
  },
];
