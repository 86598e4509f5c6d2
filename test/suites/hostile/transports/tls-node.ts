import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKairn } from "../../../e2e/kairn-process.ts";
import type { AttackedNode } from "./attacked-node.ts";

/** A node that is served with TLS. */
export type TlsNode = Pick<AttackedNode, "child" | "endpoints">;

/** Starts a node with a certificate of the fixtures, attacks it, and stops it. */
export async function onTlsNode<T>(certificate: string, attack: (node: TlsNode) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-tls-"));
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  for (const part of ["cert", "key"] as const)
    copyFileSync(new URL(`../../../fixtures/tls/${certificate}.${part}.pem`, import.meta.url), files[part]);
  chmodSync(files.key, 0o600);
  const flags = ["--rpcport", "0", "--wsport", "0", "--tls.cert", files.cert, "--tls.key", files.key];
  const ipc = ["--ipcpath", join(folder, "node.ipc")];
  const node = startKairn(["dev", "--json", "--ephemeral", ...flags, ...ipc]);
  try {
    const { endpoints } = JSON.parse(await node.firstLine()) as Pick<AttackedNode, "endpoints">;
    return await attack({ child: node.child, endpoints });
  } finally {
    node.child.kill("SIGINT");
    await node.exited;
    rmSync(folder, { recursive: true });
  }
}
