import { constants } from "node:crypto";
import { statSync } from "node:fs";
import type { Duplex } from "node:stream";
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext, TLSSocket } from "node:tls";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { isOpenToOthers } from "../runtime/open-file.ts";
import { readBounded, SHORT_WAIT_MS, SMALL_FILE_BYTES } from "../runtime/read-bounded.ts";
import type { ClientSocket } from "../sockets/client-socket.ts";
import { GROUP_NAMES } from "./connection/client-hello.ts";

/** No key exchanges by RSA: they have no forward secrecy, and the server does their work after the ClientHello. */
const WITHOUT_RSA = "!kRSA";

/** A file of a certificate or key that cannot be used; `message` names it. */
export class CertificateError extends NodeError<"CERTIFICATE"> {
  override name = "CertificateError";
}

/** Files in PEM. */
export interface CertificateFiles {
  /** The certificate, followed by the intermediate ones that clients do not have. */
  readonly cert: string;
  readonly key: string;
}

/** Notifications for the operator. */
export interface CertificateNotes {
  renewed(): void;
  /** New files are unusable: the old ones stay in use. */
  refused(error: unknown): void;
}

/** TLS with a certificate that may be renewed: its files are checked with each new connection. */
export class Certificate {
  readonly #files: CertificateFiles;
  readonly #notes: CertificateNotes;
  #version: string;
  #context: SecureContext;

  /** @throws CertificateError */
  constructor(files: CertificateFiles, notes: CertificateNotes) {
    this.#files = files;
    this.#notes = notes;
    this.#version = versionOf(files);
    this.#context = load(files);
  }

  /** Whether users other than its owner may read the key file. */
  get isKeyOpen(): boolean {
    return isOpenToOthers(this.#files.key);
  }

  /** What passes through an accepted connection, decrypted. @param encrypted - its bytes */
  secure(encrypted: Duplex & Pick<ClientSocket, "remoteAddress">): ClientSocket {
    this.#renew();
    const socket = new TLSSocket(encrypted, { isServer: true, secureContext: this.#context });
    // Node.js asks the handle for it, which a stream has not.
    return Object.defineProperty(socket, "remoteAddress", { value: encrypted.remoteAddress });
  }

  /** Loads changed files. One of the pair may still be the old one: a pair that does not match is retried at the next change. */
  #renew(): void {
    const version = versionOf(this.#files);
    if (version === this.#version) return;
    this.#version = version;
    try {
      this.#context = load(this.#files);
      this.#notes.renewed();
    } catch (error) {
      this.#notes.refused(error);
    }
  }
}

/** Changes whenever a file is written or replaced. */
function versionOf({ cert, key }: CertificateFiles): string {
  return [cert, key]
    .map((path) => {
      try {
        const stat = statSync(path);
        return `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
      } catch (error) {
        return String((error as NodeJS.ErrnoException).code); // missing, or not reachable: reading it says so
      }
    })
    .join();
}

function load({ cert, key }: CertificateFiles): SecureContext {
  const pem = { cert: read(cert), key: read(key) };
  named(cert, () => createSecureContext({ cert: pem.cert }));
  return named(key, () =>
    createSecureContext({
      ...pem,
      ...{ minVersion: "TLSv1.2", ciphers: `${DEFAULT_CIPHERS}:${WITHOUT_RSA}`, ecdhCurve: GROUP_NAMES },
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    }),
  );
}

function read(path: string): Buffer {
  return named(path, () => readBounded(path, { maxBytes: SMALL_FILE_BYTES, waitMs: SHORT_WAIT_MS }));
}

/** Adds the name of the file to the error, which OpenSSL does not mention. */
function named<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const { message } = cause as Error;
    throw new CertificateError("CERTIFICATE", `${path} cannot be used: ${message}`, { path }, { cause });
  }
}
