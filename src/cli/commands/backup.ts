import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { openEndpoint } from "../../api/console/endpoint/endpoint.ts";
import { dataOptions, endpointOptions } from "../../node/options/index.ts";
import { backupFolder } from "../../node/storage/backup.ts";
import { option } from "../../platform/config/option.ts";
import { boolean } from "../../platform/config/types.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { command, UsageError } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { type LogFound, warnOfTornEnd } from "../progress/open-read-only.ts";
import { createCopyLine, type ProgressOutput, quiet } from "../progress/progress.ts";
import { defaultDataDir, networkOf } from "../settings.ts";
import { runInSubprocess } from "../subprocess.ts";

const { dataDir, mainnet, testnet, keystoreDir } = dataOptions;
const { ipcPath } = endpointOptions;

const withKeystore = option({
  flag: "with-keystore",
  type: boolean,
  default: false,
  doc: "Also copies the key files and the node key: whoever has the copy can try passphrases.",
});

/** Interval between checks of the copy's size. */
const POLL_MS = 100;

export default command({
  usage: "DIR",
  summary:
    "Copies the chain of a data folder, even of a running node, to a new folder that a node can be started on, and checks the copy.",
  options: { dataDir, mainnet, testnet, ipcPath, keystoreDir, withKeystore, quiet },
  async run({ values, positionals, ...terminal }) {
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) throw new UsageError("usage: kairn backup [--datadir D] DIR");
    const from = resolve(values.dataDir ?? defaultDataDir(networkOf(values) ?? "node", terminal.env));
    const to = resolve(name);
    if (!existsSync(join(from, "chaindata"))) throw new UsageError(`there is no chain in ${from}`);
    const ipc = values.ipcPath ?? join(from, "klay.ipc");
    const output = { ...terminal, isQuiet: values.quiet };
    const onOpen = (stats: LogFound): void => warnOfTornEnd(stats, terminal.stderr);
    await shown(copyChain({ from, to, ipc, onOpen }), { from, to, output });
    copyFile("transactions.rlp", from, to);
    if (values.withKeystore) {
      copyFile("nodekey", from, to);
      copyKeys(values.keystoreDir ?? join(from, "keystore"), join(to, "keystore"));
    }
    const { program } = terminal;
    const words = ["db", "check"];
    const code =
      program === undefined
        ? ExitCode.done
        : await runInSubprocess({ ...output, program, words, folder: to });
    if (code === ExitCode.done) terminal.stdout.write(`backup of ${from} in ${to}\n`);
    else terminal.stderr.write(`kairn: the copy in ${to} is damaged; do not start a node on it\n`);
    return code;
  },
});

/** Asks the node that holds the folder to make the copy; if there is none, the chain is opened here. */
async function copyChain({
  from,
  to,
  ipc,
  onOpen,
}: Record<"from" | "to" | "ipc", string> & {
  readonly onOpen: (stats: LogFound) => void;
}): Promise<void> {
  if (await backupFolder(from, to, onOpen)) return;
  const { request, close } = await openEndpoint(ipc, systemRuntime);
  await request("admin_backup", [to]).finally(close);
}

/** Shows how much of the database has been copied. */
async function shown(
  copying: Promise<void>,
  { from, to, output }: { readonly from: string; readonly to: string; readonly output: ProgressOutput },
): Promise<void> {
  const line = createCopyLine(output, sizeOf(from));
  const timer = setInterval(() => line.update(sizeOf(to)), POLL_MS);
  try {
    await copying;
  } finally {
    clearInterval(timer);
    line.clear();
  }
}

/** Size in bytes of the database in a folder, or of a copy in progress. */
function sizeOf(folder: string): number {
  const file = join(folder, "chaindata", "store.mdb");
  const { size = 0 } =
    statSync(file, { throwIfNoEntry: false }) ?? statSync(`${file}.new`, { throwIfNoEntry: false }) ?? {};
  return size;
}

/** Copies an existing file to a path that does not exist yet, readable by the owner only. */
function copyFile(name: string, from: string, to: string): void {
  if (!lstatSync(join(from, name), { throwIfNoEntry: false })?.isFile()) return;
  const copy = join(to, name);
  copyFileSync(join(from, name), copy, constants.COPYFILE_EXCL);
  const file = openSync(copy, "r+");
  fchmodSync(file, 0o600);
  fsyncSync(file);
  closeSync(file);
}

/** Links and folders are not key files. */
function copyKeys(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { mode: 0o700 });
  for (const name of readdirSync(from)) copyFile(name, from, to);
}
