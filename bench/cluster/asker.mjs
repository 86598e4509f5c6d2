// A thread that asks one node over four connections, each request as soon as the one before is answered, and tells how many were.
import { parentPort, workerData } from "node:worker_threads";
import { load } from "../rpc/lib/http.mjs";

const { url, bodies, seconds } = workerData;
const { n, errors, firstError } = await load({ url, bodies, conns: 4, durationMs: 1_000 * seconds });
if (errors > 0) throw new Error(firstError);
parentPort.postMessage(n);
