import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientVersion } from "../../node/version.ts";
import { createFolder } from "../../platform/runtime/create-folder.ts";
import { mebibytes } from "../activity/amounts.ts";

/** Maximum crash files kept; older ones are deleted. */
const MAX_FILES = 10;
/** Maximum characters of a stack trace. */
const MAX_STACK = 16_384;
const NAME = /^crash-[0-9TZ.-]+\.txt$/;
/** What may be a key, a passphrase or a signature: long hex, base64, and whatever stands in quotes. */
const SECRETS: readonly RegExp[] = [
  /0x[0-9a-fA-F]{40,}/g,
  /[0-9a-fA-F]{64,}/g,
  /[A-Za-z0-9+_-]{43,}/g,
  /"[^"\n]*"/g,
];

/**
 * Records why the process ended: the error with its stack, versions, uptime and memory. Whatever an error quotes is
 * left out, since it may be anything a client sent.
 * @param folder - created if missing
 * @returns the path of the file
 */
export function writeCrashFile(folder: string, cause: string, error: unknown): string {
  createFolder(folder);
  const old = readdirSync(folder).filter((name) => NAME.test(name));
  for (const name of old.sort().slice(0, -(MAX_FILES - 1))) rmSync(join(folder, name), { force: true });
  const path = join(folder, `crash-${new Date().toISOString().replaceAll(":", "-")}.txt`);
  writeFileSync(path, report(cause, error), { mode: 0o600, flag: "wx" });
  return path;
}

function report(cause: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : typeof error;
  const { heapUsed, rss } = process.memoryUsage();
  const [heap, resident] = [heapUsed, rss].map((bytes) => `${Math.round(mebibytes(bytes))} MiB`);
  return [
    `${new Date().toISOString()} ${cause}`,
    `${clientVersion()}, node ${process.version}, ${process.platform} ${process.arch}`,
    `up ${Math.round(process.uptime())} s, ${heap} heap, ${resident} resident`,
    "",
    withoutSecrets(stack.slice(0, MAX_STACK)),
    "",
  ].join("\n");
}

/** A text with everything that may be secret removed. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((left, pattern) => left.replace(pattern, "…"), text);
}
