import { join } from "node:path";
import { freePort } from "../../e2e/free-port.ts";
import { type Certificate, makeCertificate } from "./certificates.ts";
import { findPrograms, isOpen, TestServer } from "./server.ts";

const PROGRAM = "nats-server";

/** The NATS server's program, on the path or in Debian's folder. */
export function findNats(): string | undefined {
  const folder = findPrograms([PROGRAM], ["/usr/sbin"]);
  return folder && join(folder, PROGRAM);
}

/** A NATS server with JetStream on loopback, which requires a user and password. */
export class Nats {
  readonly port: number;
  readonly certificate: Certificate | undefined;
  readonly #server: TestServer;

  private constructor(port: number, server: TestServer, certificate: Certificate | undefined) {
    this.port = port;
    this.#server = server;
    this.certificate = certificate;
  }

  /** @param hasTls - whether it accepts only TLS, with a self-signed certificate */
  static async start(program: string, hasTls = false): Promise<Nats> {
    const port = await freePort();
    const who = ["--user", "kairn", "--pass", "secret"];
    const server: TestServer = new TestServer("nats", () => ({
      program,
      args: ["-a", "127.0.0.1", "-p", String(port), ...who, "-js", "-sd", server.folder, ...tls],
      isReady: () => isOpen(port),
    }));
    const certificate = hasTls ? makeCertificate(server.folder) : undefined;
    if (certificate) for (const path of Object.values(certificate)) server.give(path);
    const tls = certificate
      ? ["--tls", "--tlscert", certificate.certificate, "--tlskey", certificate.key]
      : [];
    const nats = new Nats(port, server, certificate);
    await nats.launch();
    return nats;
  }

  /** URL with the required user and password. */
  get url(): string {
    return this.certificate
      ? `tls://kairn:secret@localhost:${this.port}`
      : `nats://kairn:secret@127.0.0.1:${this.port}`;
  }

  launch(): Promise<void> {
    return this.#server.launch();
  }

  end(signal: NodeJS.Signals): Promise<void> {
    return this.#server.end(signal);
  }

  remove(): Promise<void> {
    return this.#server.remove();
  }
}
