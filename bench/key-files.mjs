// The cost of 10,000 key files for a node: at start, when listing accounts, and when finding one by its address.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../scripts/lib.mjs";
import { freePort } from "./rpc/lib/free-port.mjs";
import { open } from "./rpc/lib/http.mjs";
import { usage } from "./rpc/lib/proc.mjs";

const FILES = 10_000;
const LOOKUPS = 1000;
const TIMEOUT_MS = 60_000;

/** Measures one node with many key files and one without. @returns records of the keystore phase */
export async function benchKeyFiles() {
  const folder = mkdtempSync(join(tmpdir(), "kairn-keys-"));
  const [none, many] = [join(folder, "none"), join(folder, "many")];
  mkdirSync(none);
  mkdirSync(many);
  for (let i = 0; i < FILES; i++) writeKeyFile(many, i);
  try {
    const empty = await measure(none, await freePort(), 0);
    const full = await measure(many, await freePort(), LOOKUPS);
    const record = (name, fields) => ({
      peer: "kairn",
      phase: "keystore",
      kind: "keystore",
      name,
      ...fields,
    });
    return [
      record(`${FILES} key files more at start`, {
        wallMs: full.startMs - empty.startMs,
        cpuSeconds: full.startCpu - empty.startCpu,
      }),
      record(`list of ${FILES} accounts`, { wallMs: full.listMs }),
      record("account by its address", {
        p50Ms: full.lookups[LOOKUPS >> 1],
        p99Ms: full.lookups[LOOKUPS * 0.99],
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(keystore, port, lookups) {
  const flags = ["dev", "--ephemeral", "--keystore", keystore, "--rpcport", `${port}`, "--wsport", "0"];
  const started = performance.now();
  const node = spawn(process.execPath, [join(root, "bin", "kairn"), ...flags], { stdio: "ignore" });
  try {
    const connection = await connect(port, started);
    await connection.rpc("eth_blockNumber");
    const startMs = performance.now() - started;
    const startCpu = usage(node.pid).cpu;
    const listing = performance.now();
    const accounts = await connection.rpc("personal_listAccounts");
    const listMs = performance.now() - listing;
    const took = [];
    for (let i = 0; i < lookups; i++) took.push(await lookup(connection, accounts.at(-1 - i)));
    connection.close();
    return { startMs, startCpu, listMs, lookups: took.sort((a, b) => a - b) };
  } finally {
    const ended = new Promise((resolve) => node.once("exit", resolve));
    if (node.exitCode === null) node.kill("SIGTERM");
    await ended;
  }
}

/** A locked account cannot sign; a missing one would be reported as unknown. */
async function lookup(connection, address) {
  const start = performance.now();
  const refusal = await connection.rpc("eth_sign", [address, "0x00"]).catch((error) => error.message);
  if (!/authentication needed/.test(refusal)) throw new Error(`${address}: ${refusal}`);
  return performance.now() - start;
}

async function connect(port, started) {
  for (;;) {
    try {
      return await open(`http://127.0.0.1:${port}`);
    } catch (error) {
      if (performance.now() - started > TIMEOUT_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/** Files are listed by their plain-text content, without decryption. */
function writeKeyFile(folder, i) {
  const hex = (bytes) => randomBytes(bytes).toString("hex");
  const address = hex(20);
  const crypto = {
    cipher: "aes-128-ctr",
    ciphertext: hex(32),
    cipherparams: { iv: hex(16) },
    kdf: "scrypt",
    kdfparams: { dklen: 32, n: 262144, p: 1, r: 8, salt: hex(32) },
    mac: hex(32),
  };
  const id = "3198bc9c-6672-4ab3-9995-4942343ae5b6";
  const name = `UTC--2025-01-01T00-00-00.${String(i).padStart(9, "0")}Z--${address}`;
  writeFileSync(join(folder, name), JSON.stringify({ address, keyring: [[crypto]], id, version: 4 }), {
    mode: 0o600,
  });
}
