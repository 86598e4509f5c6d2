import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance, DEFAULT_TIMES, UnsentBytes } from "./budget.ts";
import { Certificate } from "./certificate.ts";
import { type Listener, listenHttp } from "./listener.ts";
import { textVerdict } from "./service.ts";
import { firstBytes } from "./testing/first-bytes.ts";

const fixture = (name: string) => new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url);
let folder: string;
let files: { cert: string; key: string };
const notes: string[] = [];
let listener: Listener | undefined;
const connections = new Allowance(20);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kairn-tls-"));
  files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  put("first");
  notes.length = 0;
});
afterEach(async () => {
  await listener?.close();
  listener = undefined;
  rmSync(folder, { recursive: true });
});

let written = Date.now() / 1000;
function put(name: string, ...parts: ("cert" | "key")[]): void {
  for (const part of parts.length > 0 ? parts : (["cert", "key"] as const)) {
    copyFileSync(fixture(`${name}.${part}`), files[part]);
    chmodSync(files[part], 0o600);
    utimesSync(files[part], ++written, written);
  }
}

async function serve(): Promise<void> {
  const certificate = new Certificate(files, {
    renewed: () => notes.push("renewed"),
    refused: (error) => notes.push(String(error)),
  });
  const budget = {
    ...{ connections, bodies: new Allowance(1e6), unsent: new UnsentBytes(1e6) },
    times: DEFAULT_TIMES,
    slice: new TimeSlice(),
  };
  const service = { maxBody: 100, admit: () => ({ ...textVerdict(200, "fine"), close: true }) };
  listener = await listenHttp(service, { host: "127.0.0.1", port: 0, budget, certificate });
}

/** @returns the response and the name in the certificate */
async function ask(): Promise<[string, string]> {
  const socket: TLSSocket = connect({ port: (listener as Listener).port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const name = String(socket.getPeerCertificate().subject.CN);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "close");
  return [text.slice(-5, -1), name];
}

it("hangs up on a client for which there is no room, without a handshake", async () => {
  await serve();
  connections.take(connections.most);
  const socket = connectPlain((listener as Listener).port, "127.0.0.1");
  let got = 0;
  socket.on("data", ({ length }) => {
    got += length;
  });
  socket.on("error", () => {});
  await expect.poll(() => socket.closed).toBe(true);
  connections.give(connections.most);
  expect(got).toBe(0);
  expect((await ask())[0]).toBe("fine");
});

describe("a listener with a certificate", () => {
  it("uses renewed files for new connections, and the old ones while the new do not match", async () => {
    await serve();
    expect(await ask()).toEqual(["fine", "kairn test first"]);
    put("second", "cert");
    expect(await ask()).toEqual(["fine", "kairn test first"]);
    expect(notes).toEqual([expect.stringContaining(files.key)]);
    put("second", "key");
    expect(await ask()).toEqual(["fine", "kairn test second"]);
    expect(notes.slice(1)).toEqual(["renewed"]);
    rmSync(files.cert);
    expect(await ask()).toEqual(["fine", "kairn test second"]);
    symlinkSync("cert.pem", files.cert); // to itself
    expect(await ask()).toEqual(["fine", "kairn test second"]);
    expect(notes.slice(2)).toEqual([expect.stringContaining("ENOENT"), expect.stringContaining("ELOOP")]);
  });

  it("exchanges keys on X25519 or P-256 alone, with forward secrecy, also where a client has to ask twice", async () => {
    await serve();
    const { port } = listener as Listener;
    const keyOf = async (options: ConnectionOptions): Promise<unknown> => {
      const socket = connect({ port, rejectUnauthorized: false, ...options });
      const opened = once(socket, "secureConnect").then(
        () => (socket.getEphemeralKeyInfo() as { name?: string }).name,
      );
      return opened.catch((error) => error.code).finally(() => socket.destroy());
    };
    expect(await keyOf({})).toBe("X25519");
    expect(await keyOf({ maxVersion: "TLSv1.2", ecdhCurve: "prime256v1" })).toBe("prime256v1");
    expect(await keyOf({ ecdhCurve: "secp521r1:prime256v1" })).toBe("prime256v1");
    expect(await keyOf({ ecdhCurve: "secp521r1" })).toBe("ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE");
    expect(await keyOf({ maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" })).toBe(
      "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
    );
  });

  it("takes at most eight handshakes at a time whose clients have to ask twice", async () => {
    await serve();
    const { port } = listener as Listener;
    const hello = await firstBytes({ ecdhCurve: "secp521r1:prime256v1" });
    const clients = Array.from({ length: 9 }, () => connectPlain(port, "127.0.0.1"));
    const firsts = clients.map((client) => {
      client.on("error", () => {}).write(hello);
      return Promise.race([
        once(client, "data").then(() => "answer"),
        once(client, "close").then(() => "close"),
      ]);
    });
    expect((await Promise.all(firsts)).filter((first) => first === "answer")).toHaveLength(8);
    for (const client of clients) client.destroy();
    await expect.poll(ask).toEqual(["fine", "kairn test first"]);
    await expect.poll(() => connections.used).toBe(0);
    const later = connectPlain(port, "127.0.0.1").on("error", () => {});
    later.write(hello);
    await once(later, "data");
    later.destroy();
  });

  it("releases each connection, whether it spoke TLS, plain HTTP, nonsense or nothing", async () => {
    await serve();
    for (const text of [
      "",
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\x16\x03\x01\xff\xff".repeat(100),
    ]) {
      const socket = connectPlain((listener as Listener).port, "127.0.0.1");
      socket.on("error", () => {}).resume();
      await once(socket, "connect");
      socket.write(text);
      setTimeout(() => socket.destroy(), 50);
      await once(socket, "close");
    }
    await ask();
    await expect.poll(() => connections.used).toBe(0);
  });

  it("rejects a bad file at the start, and names it", () => {
    const notesOf = { renewed: () => {}, refused: () => {} };
    writeFileSync(files.cert, "no certificate");
    expect(() => new Certificate(files, notesOf)).toThrow(files.cert);
    put("first");
    put("second", "key");
    expect(() => new Certificate(files, notesOf)).toThrow(files.key);
    rmSync(files.key);
    expect(() => new Certificate(files, notesOf)).toThrow(files.key);
  });

  it("detects a key that others may read", () => {
    const certificate = new Certificate(files, { renewed: () => {}, refused: () => {} });
    expect(certificate.isKeyOpen).toBe(false);
    chmodSync(files.key, 0o644);
    expect(certificate.isKeyOpen).toBe(true);
  });
});
