import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hold } from "../row.ts";
import { preloaded } from "./preloaded.ts";

/** Maximum time until a response that was received is in the record. */
const RECORDED_MS = 10_000;
/** How every response to the suite's requests begins. */
const RESPONSE = '{"jsonrpc":"2.0","id":1,"result"';

/** A system call that succeeded. */
export interface DiskCall {
  /** Nanoseconds, comparable with `process.hrtime.bigint()`. */
  readonly began: bigint;
  readonly ended: bigint;
  /** `written`: the bytes may be lost until the file is synced; `stored`: they are on disk (`O_DSYNC`). */
  readonly did: "created" | "written" | "stored" | "synced" | "renamed" | "removed" | "answered";
  readonly path: string;
  /** The old name of what was renamed, the beginning of what was answered; otherwise empty. */
  readonly other: string;
}

/** What a node does to its files, in the order in which it does it. */
export class RecordingDisk {
  /** Environment of a node on this disk. */
  readonly env: Readonly<Record<string, string>>;
  readonly #record: string;

  /**
   * @param folder - for the library and the record
   * @param recorded - the folder of the node's files
   * @throws Skipped where there is no C compiler
   */
  constructor(folder: string, recorded: string) {
    this.#record = join(folder, "record");
    writeFileSync(this.#record, "");
    this.env = {
      LD_PRELOAD: preloaded("recording-disk", folder),
      RECORDING_FILE: this.#record,
      RECORDING_FOLDER: recorded,
      UV_USE_IO_URING: "0", // calls that the kernel takes from a queue pass no library
    };
  }

  /** The record so far. */
  calls(): DiskCall[] {
    const lines = readFileSync(this.#record, "utf8").split("\n");
    return lines.slice(0, -1).map((line) => {
      const [began = "", ended = "", did, path = "", other = ""] = line.split("\t");
      return { began: BigInt(began), ended: BigInt(ended), did: did as DiskCall["did"], path, other };
    });
  }

  /** When the node began to send its first response after a moment; the client has it already. */
  async answeredAfter(moment: bigint): Promise<bigint> {
    const isResponse = ({ did, began, other }: DiskCall) =>
      did === "answered" && began >= moment && other === RESPONSE;
    for (const end = performance.now() + RECORDED_MS; performance.now() < end; ) {
      const answer = this.calls().find(isResponse);
      if (answer) return answer.began;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error("the node's response is not in the record");
  }
}

/** Everything written to a file by a moment was on disk by then. */
export function holdSynced(calls: readonly DiskCall[], path: string, moment: bigint): void {
  const ofFile = calls.filter((call) => call.path === path && call.ended <= moment);
  const syncs = ofFile.filter(({ did }) => did === "synced");
  for (const { did, ended } of ofFile)
    hold(did !== "written" || syncs.some(({ began }) => began >= ended), `not synced in time: ${path}`);
}

/** The name of what was created or renamed was on disk by a moment. */
export function holdNamed(calls: readonly DiskCall[], named: DiskCall, moment: bigint): void {
  const isSync = ({ did, path, began, ended }: DiskCall) =>
    did === "synced" && path === dirname(named.path) && began >= named.ended && ended <= moment;
  hold(calls.some(isSync), `its folder was not synced in time: ${named.did} ${named.path}`);
}

/** A file was written, then synced, then renamed, and its new name was on disk by a moment. */
export function holdReplaced(calls: readonly DiskCall[], renamed: DiskCall, moment: bigint): void {
  const isWrite = ({ did, path }: DiskCall) =>
    path === renamed.other && (did === "written" || did === "stored");
  hold(calls.some(isWrite), `renamed without having been written: ${renamed.other}`);
  holdSynced(calls, renamed.other, renamed.began);
  holdNamed(calls, renamed, moment);
}
