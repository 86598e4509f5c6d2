import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startKairn } from "../../../e2e/kairn-process.ts";
import { hold } from "../row.ts";
import { peakMemory } from "../watched.ts";

/** Time after which a program that still runs has accepted the file; it is then stopped. */
const TAKEN_S = 15;
/** Time to stop. */
const END_S = 30;
const MAX_MIB = 450;
/** A state may have 512 MiB, and parsing takes twice its size. */
const MAX_STATE_MIB = 1200;

/** Replacements of a file, created in a folder, or `/dev/zero`. */
const KINDS: Readonly<Record<string, (path: string) => string>> = {
  zeros: () => "/dev/zero",
  folder: (path) => {
    mkdirSync(path);
    return path;
  },
  blanks: (path) => written(path, Buffer.alloc(100 << 20, " ")),
  levels: (path) => written(path, "[".repeat(500_000)),
  line: (path) => written(path, "a".repeat(30 << 20)),
  settings: (path) => written(path, Array.from({ length: 1_000_000 }, (_, i) => `K${i}=1\n`).join("")),
  binary: (path) => written(path, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 151) & 0xff))),
  empty: (path) => written(path, ""),
};

function written(path: string, content: string | Buffer): string {
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const PORTS = ["--rpcport", "0", "--wsport", "0"];
const dev = (...more: string[]): string[] => ["dev", "--ephemeral", ...PORTS, ...more];
const node = (data: string, ...more: string[]): string[] => [
  ...["node", "--testnet", "--datadir", data, "--ipcdisable", "--nodiscover", "--port", "0"],
  ...PORTS,
  ...more,
];
const STREAM = "--chaindatafetcher";

/** All options that name a file read at start. @param data - a folder for the command */
const READERS: Readonly<Record<string, (file: string, data: string) => string[]>> = {
  "--config": (file) => dev("--config", file),
  "--nodekey": (file, data) => node(data, "--nodekey", file),
  "--bls-nodekey": (file, data) => node(data, "--bls-nodekey", file),
  "--password": (file, data) => ["account", "new", "--datadir", data, "--password", file, "--lightkdf"],
  "--rpc.jwtsecret": (file) => dev("--rpc.jwtsecret", file),
  "--tls.cert": (file) => dev("--tls.cert", file, "--tls.key", file),
  "--state": (file) => dev("--state", file),
  "--load-state": (file) => dev("--load-state", file),
  "--fee-payer-dapps": (file) => dev("--fee-payer-port", "0", "--fee-payer-dapps", file),
  "--changelog.password-file": (file, data) =>
    node(data, "--changelog", "postgres://kairn@127.0.0.1:1/kairn", "--changelog.password-file", file),
  "--sql.password-file": (file) =>
    dev("--sql", "postgres://kairn@127.0.0.1:1/kairn", "--sql.password-file", file),
  "--chaindatafetcher.kafka.tls.ca": (file) =>
    dev(
      STREAM,
      `${STREAM}.kafka.brokers`,
      "127.0.0.1:1",
      `${STREAM}.kafka.tls`,
      `${STREAM}.kafka.tls.ca`,
      file,
    ),
  "--chaindatafetcher.kafka.sasl.password.file": (file) =>
    dev(
      ...[
        STREAM,
        `${STREAM}.kafka.brokers`,
        "127.0.0.1:1",
        `${STREAM}.kafka.sasl.mechanism`,
        "scram-sha-256",
      ],
      ...[`${STREAM}.kafka.sasl.username`, "kairn", `${STREAM}.kafka.sasl.password.file`, file],
    ),
  "--chaindatafetcher.nats.tls.ca": (file) =>
    dev(
      ...[STREAM, `${STREAM}.mode`, "nats", `${STREAM}.nats.servers`, "tls://127.0.0.1:1"],
      ...[`${STREAM}.nats.tls.ca`, file],
    ),
  "init GENESIS.json": (file, data) => ["init", "--datadir", data, file],
  "import FILE": (file, data) => ["import", "--testnet", "--datadir", data, file],
  "account import KEYFILE": (file, data) => ["account", "import", "--datadir", data, file],
};

/** Whether a command starts a node, which has accepted the file once it prints where it listens. */
function isNode([command]: readonly string[]): boolean {
  return command === "dev" || command === "node";
}

type Verdict = "refused" | "taken" | "read";

/**
 * Passes invalid files to all readers of files at start.
 * @param isChosen - which reader gets which kind
 * @throws Error for a program that hangs, exits without naming the file, or uses too much memory
 */
export async function readOddFiles(isChosen: (reader: number, kind: number) => boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-hostile-"));
  const verdicts = new Map<Verdict, string[]>();
  const faults: string[] = [];
  let largest = 0;
  try {
    for (const [r, [reader, argsOf]] of Object.entries(READERS).entries())
      for (const [k, [kind, make]] of Object.entries(KINDS).entries()) {
        if (!isChosen(r, k)) continue;
        const place = join(folder, `${r}-${k}`);
        const file = make(place);
        const about = `${reader} ${kind}`;
        const tried = await tryFile(argsOf(file, `${place}-data`), file, about).catch(
          (fault: Error) => fault,
        );
        if (tried instanceof Error) faults.push(tried.message);
        else {
          verdicts.set(tried.verdict, [...(verdicts.get(tried.verdict) ?? []), about]);
          largest = Math.max(largest, tried.mebibytes);
        }
        rmSync(place, { recursive: true, force: true });
      }
    hold(faults.length === 0, faults.join("\n"));
    const counts = [...verdicts].map(([verdict, all]) => `${all.length} ${verdict}`);
    return `${counts.join(", ")}; at most ${largest.toFixed(0)} MiB`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryFile(
  args: readonly string[],
  file: string,
  about: string,
): Promise<{ readonly verdict: Verdict; readonly mebibytes: number }> {
  const { child, exited, printed } = startKairn(args);
  let mebibytes = 0;
  let isTaken = false;
  const take = (): void => {
    if (!isTaken) child.kill("SIGTERM");
    isTaken = true;
  };
  const looking = setInterval(() => {
    mebibytes = Math.max(mebibytes, peakMemory(child.pid));
    if (isNode(args) && printed.stdout !== "") take();
  }, 10);
  const stop = setTimeout(take, TAKEN_S * 1000);
  const kill = setTimeout(() => child.kill("SIGKILL"), (TAKEN_S + END_S) * 1000);
  const code = await exited;
  for (const timer of [looking, stop, kill]) clearTimeout(timer);
  const said = `${about}: ended with ${code}${isTaken ? " when told to" : ""}, ${printed.stderr.slice(0, 300)}`;
  hold(code !== null && code !== 70, said);
  hold(!/ {4}at |RangeError|heap out|Maximum call/.test(printed.stderr), said);
  const max = about.includes("state") ? MAX_STATE_MIB : MAX_MIB;
  hold(mebibytes < max, `${said}, ${mebibytes} MiB`);
  if (isTaken) return { verdict: "taken", mebibytes };
  hold(code === 0 || printed.stderr.includes(file), said);
  return { verdict: code === 0 ? "read" : "refused", mebibytes };
}
