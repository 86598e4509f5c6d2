import { nothing } from "../../../../protocol/codec/json/object.ts";
import { int, integer, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { method } from "../method.ts";

const uint = integer("unsigned integer", { goType: "uint", min: 0n, max: MAX_UINT64 });
const file = required(string, "New file in the folder for dumps: a bare name.");
const seconds = required(small(uint), "How long to collect, up to 600.");
const collected = { result: nothing, scope: "host", unsafe: true } as const;

/** Profiles and traces of the process, and what is waiting in it, under the names of Go's profiles. */
export const debugEventLoop = {
  goTrace: method({
    summary: "Records the runtime's events for some seconds and writes them in Chrome's trace format.",
    params: { file, seconds },
    ...collected,
  }),
  startGoTrace: method({
    summary: "Starts recording the runtime's events: garbage collection, files, network, threads.",
    params: { file },
    ...collected,
  }),
  stopGoTrace: method({ summary: "Ends the recording and writes it.", params: {}, ...collected }),
  blockProfile: method({
    summary: "Samples for some seconds how long the main thread was blocked, and writes that as JSON.",
    params: { file, seconds },
    ...collected,
  }),
  setBlockProfileRate: method({
    summary: "Turns sampling of main thread delays on, or off with 0.",
    params: { rate: required(small(int), "0, or any other number: a sample each millisecond.") },
    ...collected,
  }),
  writeBlockProfile: method({
    summary: "Writes how long the main thread was blocked while it was sampled.",
    params: { file },
    ...collected,
  }),
  mutexProfile: method({
    summary: "Writes an empty profile after some seconds: JavaScript has no mutexes to wait for.",
    params: { file, seconds },
    ...collected,
  }),
  setMutexProfileFraction: method({
    summary: "Has no effect: JavaScript has no mutexes to wait for.",
    params: { rate: required(small(int), "Ignored.") },
    ...collected,
  }),
  writeMutexProfile: method({
    summary: "Writes an empty profile: JavaScript has no mutexes to wait for.",
    params: { file },
    ...collected,
  }),
};
