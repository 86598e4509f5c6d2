import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createKeyDeriver } from "../../../../src/wallet/keystore/key-derivation.ts";
import { decryptKeyFile, type PrivateKeys } from "../../../../src/wallet/keystore/private-keys.ts";
import { Passphrase } from "../../../../src/wallet/passphrase.ts";
import { until } from "../../../e2e/json-rpc.ts";
import { startKairn } from "../../../e2e/kairn-process.ts";
import { type StartedNode, startNode, startNodeIn, temporaryFolder } from "../../../e2e/started-node.ts";
import { Random } from "../../fuzz-rpc/random.ts";
import { type HostileRow, hold } from "../row.ts";
import { overHttp, overIpc, peakOfTreeWhile } from "./attacked-node.ts";

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A node with a permissive umask. */
async function modes(): Promise<string> {
  const before = process.umask(0);
  const node = await startNode("--lightkdf").finally(() => process.umask(before));
  try {
    await overIpc(node.endpoints.ipc, "personal_newAccount", "pw");
    const keys = join(node.dataDir, "keystore");
    const [file] = readdirSync(keys);
    const found = [mode(keys), mode(join(keys, file as string)), mode(node.endpoints.ipc)];
    hold(found.join() === "700,600,600", `folder, file, socket: ${found.join()}`);
    return "under umask 000: key folder 700, key file 600, socket 600";
  } finally {
    await node.stop();
  }
}

/** A data folder and a key folder that others may enter. */
async function warnings(): Promise<string> {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, "keystore"));
  for (const path of [dataDir, join(dataDir, "keystore")]) chmodSync(path, 0o755);
  const started = startKairn(["account", "list", "--datadir", dataDir]);
  await started.exited;
  const node = await startNodeIn(dataDir, "--verbosity", "2");
  await node.stop();
  const fixes = (text: string) => text.match(/chmod 700/g)?.length ?? 0;
  const told = [fixes(started.printed.stderr), fixes(node.printed.stderr + node.printed.stdout)];
  hold(told[0] === 1 && told[1] === 2, `told of ${told.join(" and ")} open folders`);
  return "a key folder and a data folder of mode 755 are each told of, with the command that closes them";
}

/** Key files that an attacker may place in the folder, with excessive costs. */
const COSTS: readonly object[] = [
  { n: 2 ** 24, r: 8, p: 1 },
  { n: 2 ** 31, r: 8, p: 1 },
  { n: 4096, r: 8, p: 0 },
  { n: 4096, r: 0, p: 6 },
  { n: 4096, r: -8, p: -6 },
  { n: 2, r: 2 ** 13, p: 2 ** 11 },
  { n: 1e300, r: 1e300, p: 1e300 },
  { n: 2 ** 20, r: 8, p: 1e6 },
];

async function costs(): Promise<string> {
  const node = await startNode("--lightkdf");
  try {
    const { http, ipc } = node.endpoints;
    const { result: address } = await overIpc(ipc, "personal_newAccount", "pw");
    const keys = join(node.dataDir, "keystore");
    const text = readFileSync(join(keys, readdirSync(keys)[0] as string), "utf8");
    const lastByte = Number.parseInt((address as string).slice(-2), 16);
    const accounts = COSTS.map((_, i) => {
      const another = (lastByte + 1 + i) & 0xff;
      return (address as string).slice(2, -2) + another.toString(16).padStart(2, "0");
    });
    COSTS.forEach((cost, i) => {
      const file = JSON.parse(text);
      Object.assign(file.keyring[0][0].kdfparams, cost);
      file.address = accounts[i];
      writeFileSync(join(keys, `UTC--hostile-${i}`), JSON.stringify(file), { mode: 0o600 });
    });
    await until(
      async () => (await overIpc(ipc, "personal_listAccounts")).result as string[],
      (listed) => accounts.every((account) => listed.includes(`0x${account}`)),
    );
    const pid = node.child.pid as number;
    const signing = async () => {
      for (const account of accounts) {
        const { error } = await overHttp(http, "personal_sign", "0x00", `0x${account}`, "pw");
        hold(
          error?.message === "key derivation parameters out of range",
          `${account}: ${JSON.stringify(error)}`,
        );
      }
    };
    const before = await peakOfTreeWhile(pid, Promise.resolve());
    const rise = (await peakOfTreeWhile(pid, signing())) - before;
    hold(rise < 64, `${Math.round(rise)} MiB`);
    return `${COSTS.length} files refused before any derivation, memory up by ${Math.round(rise)} MiB`;
  } finally {
    await node.stop();
  }
}

const deriver = createKeyDeriver();
const open = (path: string): Promise<PrivateKeys> =>
  decryptKeyFile(readFileSync(path, "utf8"), new Passphrase("pw"), deriver);

/** Acknowledged keys of an account, and the one that may have been in progress when the node was killed. */
interface Promised {
  kept: string;
  coming: string;
  readonly made: string[];
}

/** Replaces a key and makes new ones until the connection breaks. */
async function write(node: StartedNode, account: string, promised: Promised): Promise<void> {
  const replacing = (async () => {
    for (;;) {
      promised.coming = randomBytes(32).toString("hex");
      const key = `${promised.coming}0x00${account}`;
      const { result } = await overIpc(node.endpoints.ipc, "personal_replaceRawKey", key, "pw", "pw");
      hold(result !== undefined, "the key was not replaced");
      promised.kept = promised.coming;
    }
  })();
  const making = (async () => {
    for (;;)
      promised.made.push((await overIpc(node.endpoints.ipc, "personal_newAccount", "pw")).result as string);
  })();
  await Promise.allSettled([replacing, making]);
}

/** Kills shortly after a temporary file appears, every other time at a random moment. */
async function kill(
  { child, exited }: StartedNode,
  folder: string,
  round: number,
  random: Random,
): Promise<void> {
  if (round % 2 === 0) {
    const watcher = watch(folder);
    await new Promise<void>((resolve) => {
      watcher.on("change", (_, name) => String(name).startsWith(".") && resolve());
      setTimeout(resolve, 3000).unref();
    });
    watcher.close();
    await new Promise((resolve) => setTimeout(resolve, random.below(6)));
  } else await new Promise((resolve) => setTimeout(resolve, 50 + random.below(550)));
  child.kill("SIGKILL");
  await exited;
}

async function kills(rounds: number): Promise<string> {
  const dataDir = temporaryFolder();
  const folder = join(dataDir, "keystore");
  const promised: Promised = { kept: "", coming: "", made: [] };
  let account = "";
  let drafts = 0;
  const checked = new Set<string>();
  const seed = Date.now() % 100_000;
  const random = new Random(seed);
  try {
    for (let round = 0; round <= rounds; round++) {
      const node = await startNodeIn(dataDir, "--lightkdf");
      if (account === "") {
        account = (await overIpc(node.endpoints.ipc, "personal_newAccount", "pw")).result as string;
        const [key] = (await open(join(folder, readdirSync(folder)[0] as string))).keyring.flat();
        promised.kept = Buffer.from(key as Uint8Array).toString("hex");
      }
      const left = readdirSync(folder).filter((name) => name.startsWith("."));
      hold(left.length === 0, `a draft outlived a start: ${left.join()}`);
      if (round === rounds) {
        await node.stop();
        break;
      }
      const writing = write(node, account, promised);
      await kill(node, folder, round, random);
      await writing;
      drafts += readdirSync(folder).filter((name) => name.startsWith(".")).length;
      await check(folder, account, promised, checked);
    }
    return `${rounds} kills, ${drafts} of them while a draft lay there: ${promised.made.length} new keys and the replaced one whole; seed ${seed}`;
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function check(
  folder: string,
  account: string,
  promised: Promised,
  checked: Set<string>,
): Promise<void> {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  for (const name of names.filter((one) => !checked.has(one))) {
    const keys = await open(join(folder, name));
    if (!name.endsWith(account.slice(2))) {
      checked.add(name);
      continue;
    }
    const found = Buffer.from(keys.keyring[0]?.[0] as Uint8Array).toString("hex");
    hold(found === promised.kept || found === promised.coming, "neither the old key nor the new one");
    promised.kept = found;
  }
  for (const made of promised.made)
    hold(
      names.some((name) => name.endsWith(made.slice(2))),
      `a promised key is gone: ${made}`,
    );
}

export const fileRows: readonly HostileRow[] = [
  {
    id: "K1",
    promise: "key files, their folder and the socket are accessible to their owner only",
    run: modes,
  },
  { id: "K1b", promise: "folders open to other users cause a warning", run: warnings },
  { id: "K2", promise: "kill -9 leaves the old key file or the new one", run: () => kills(6) },
  {
    id: "K2l",
    promise: "kill -9 at 200 moments leaves the old key file or the new one",
    isLong: true,
    run: () => kills(200),
  },
  { id: "K3", promise: "files with excessive costs are rejected before key derivation", run: costs },
];
