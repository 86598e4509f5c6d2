// A process of its own, whose files may not grow: prints LMDB's message for the write that fails.
import { execFileSync } from "node:child_process";
import { Environment } from "../lmdb/environment.ts";
import { WriteBatch } from "../lmdb/write-batch.ts";

const environment = new Environment(process.argv[2] as string, { isReadOnly: false, isNew: true });
execFileSync("prlimit", ["--pid", `${process.pid}`, "--fsize=4096:"]);
const batch = new WriteBatch(environment.env);
batch.add({ key: Uint8Array.of(1), value: new Uint8Array(10) });
await batch.commit(environment.env).catch((error: Error) => console.log(error.message));
