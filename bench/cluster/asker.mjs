// A thread that sends requests to one node over four connections, each as soon as the previous one has a response, and reports their number.
import { parentPort, workerData } from "node:worker_threads";
import { load } from "../rpc/lib/http.mjs";

const { url, bodies, seconds } = workerData;
const { n, errors, firstError } = await load({ url, bodies, conns: 4, durationMs: 1_000 * seconds });
if (errors > 0) throw new Error(firstError);
parentPort.postMessage(n);
