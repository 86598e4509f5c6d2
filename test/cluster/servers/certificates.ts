import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Files of a certificate made for a test. */
export interface Certificate {
  readonly key: string;
  /** Self-signed. */
  readonly certificate: string;
}

/** Makes a self-signed certificate for `localhost` and 127.0.0.1, valid for a day, with OpenSSL's program. @throws Error without it */
export function makeCertificate(folder: string, name = "server"): Certificate {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", ["req", ...kind, ...subject, "-keyout", key, "-out", certificate], {
    stdio: "pipe",
  });
  return { key, certificate };
}
