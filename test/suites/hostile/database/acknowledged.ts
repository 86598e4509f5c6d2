import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KairnProcess, startKairn } from "../../../e2e/kairn-process.ts";
import { overIpc } from "../keys/attacked-node.ts";
import { hold } from "../row.ts";
import { type DiskCall, holdNamed, holdReplaced, holdSynced, RecordingDisk } from "./recording-disk.ts";

const ROUNDS = 3;
const LOG = /\/log-\d+/;
const JOURNAL = /\/transactions\.rlp$/;
const KEY_FILE = /\/keystore\/UTC-[^/]*$/;
const STATE_FILE = /\/state\.json$/;

/** Checks what a call did to the disk from its request to its response. */
type Check = (during: readonly DiskCall[], before: readonly DiskCall[], answered: bigint) => void;

/** What a block or a transaction in it was written to: all of the log is on disk, and so are the names of its files. */
const holdLogged: Check = (during, before, answered) => {
  const ofLog = before.filter(({ path }) => LOG.test(path));
  const isWrite = ({ did, path }: DiskCall) => LOG.test(path) && (did === "written" || did === "stored");
  hold(during.some(isWrite), "answered before the log was written");
  for (const path of new Set(ofLog.map((call) => call.path))) holdSynced(before, path, answered);
  for (const call of ofLog) if (call.did === "created") holdNamed(before, call, answered);
};

const holdOneReplaced =
  (file: RegExp): Check =>
  (during, before, answered) => {
    const renames = during.filter(({ did, path }) => did === "renamed" && file.test(path));
    hold(renames.length === 1, `${renames.length} files renamed before the response, not one`);
    for (const call of renames) holdReplaced(before, call, answered);
  };

/** A node on a recorded disk. */
class RecordedNode {
  readonly disk: RecordingDisk;
  readonly #started: KairnProcess;
  #ipc = "";
  sender = "";

  constructor(folder: string) {
    const files = join(folder, "files");
    mkdirSync(files);
    this.disk = new RecordingDisk(folder, files);
    const paths = ["--datadir", join(files, "data"), "--state", join(files, "state.json")];
    const flags = ["--json", "--quiet", "--lightkdf", "--rpcport", "0", "--wsport", "0"];
    this.#started = startKairn(["dev", ...flags, ...paths], { env: this.disk.env });
  }

  async ready(): Promise<void> {
    const { endpoints, accounts } = JSON.parse(await this.#started.firstLine());
    this.#ipc = endpoints.ipc;
    this.sender = accounts[0].address;
  }

  /** Calls a method, and checks what was on disk when its response was sent. @returns its result */
  async ask(check: Check | undefined, method: string, ...params: unknown[]): Promise<string> {
    const asked = process.hrtime.bigint();
    const { result, error } = await overIpc(this.#ipc, method, ...params);
    hold(error === undefined, `${method}: ${error?.message}`);
    const answered = await this.disk.answeredAfter(asked);
    const before = this.disk.calls().filter(({ ended }) => ended <= answered);
    try {
      check?.(
        before.filter(({ began }) => began >= asked),
        before,
        answered,
      );
    } catch (cause) {
      throw new Error(`${method} was acknowledged too early: ${(cause as Error).message}`, { cause });
    }
    return result;
  }

  send(check?: Check): Promise<string> {
    const tx = { from: this.sender, to: this.sender, value: "0x1", gas: "0x5208" };
    return this.ask(check, "eth_sendTransaction", tx);
  }

  async stop(): Promise<void> {
    this.#started.child.kill("SIGINT");
    const code = await this.#started.exited;
    hold(code === 0, `the node ended with ${code}: ${this.#started.printed.stderr.slice(-300)}`);
  }

  async kill(): Promise<void> {
    this.#started.child.kill("SIGKILL");
    await this.#started.exited;
  }
}

/** Whether a power loss would have lost anything at the moment a response was sent, by the node's own system calls. */
export async function recordAcknowledged(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-recorded-"));
  try {
    const node = new RecordedNode(folder);
    try {
      await node.ready();
      for (let round = 0; round < ROUNDS; round++) {
        await node.ask(holdLogged, "evm_mine");
        await node.send(holdLogged);
        await changeKeys(node, round);
      }
      await dropTransactions(node);
      await node.stop();
      return `${4 * ROUNDS + 1} responses after the syncs they depend on; ${checkWhole(node.disk.calls())}`;
    } finally {
      await node.kill();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes a key file and replaces it. */
async function changeKeys(node: RecordedNode, round: number): Promise<void> {
  const check = holdOneReplaced(KEY_FILE);
  const account = await node.ask(check, "personal_newAccount", "pw");
  const key = `${round + 1}`.padStart(64, "0");
  await node.ask(check, "personal_replaceRawKey", `${key}0x00${account}`, "pw", "pw");
}

/** Removes a transaction from the pool, while others wait. */
async function dropTransactions(node: RecordedNode): Promise<void> {
  await node.ask(undefined, "evm_setAutomine", false);
  await node.send();
  const last = await node.send();
  await node.ask(holdOneReplaced(JOURNAL), "anvil_dropTransaction", last);
}

/** Every file that a stopped node has replaced was synced before it was renamed, and the log was kept until LMDB's file was synced. */
function checkWhole(calls: readonly DiskCall[]): string {
  const end = process.hrtime.bigint();
  const renames = calls.filter(({ did }) => did === "renamed");
  for (const file of [KEY_FILE, JOURNAL, STATE_FILE])
    hold(
      renames.some(({ path }) => file.test(path)),
      `nothing replaced ${file}`,
    );
  for (const call of renames) holdReplaced(calls, call, end);
  const removals = calls.filter(({ did, path }) => did === "removed" && LOG.test(path));
  hold(removals.length > 0, "no file of the log was removed at the end");
  for (const { path, began } of removals)
    holdSynced(calls, path.replace(/\/log-[^/]*$/, "/store.mdb"), began);
  const syncs = calls.filter(({ did }) => did === "synced" || did === "stored");
  return `${renames.length} replaced files and ${removals.length} removed ones in order, ${syncs.length} syncs`;
}
