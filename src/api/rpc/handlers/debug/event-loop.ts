import { writeFile } from "node:fs/promises";
import type { Handlers } from "../../method.ts";
import type { debugEventLoop } from "../../spec/debug/event-loop.ts";
import { ended } from "./ended.ts";
import type { RuntimeDeps } from "./runtime.ts";

/** The process over time, and what waits in it. */
export function debugEventLoopHandlers({
  trace,
  delay,
  after,
}: RuntimeDeps): Handlers<typeof debugEventLoop> {
  const wait = (seconds: number) => new Promise<void>((resolve) => after(seconds * 1000, resolve));
  return {
    async goTrace({ file, seconds }) {
      await trace.start(file);
      await wait(seconds);
      return ended(trace.stop());
    },
    startGoTrace: ({ file }) => ended(trace.start(file)),
    stopGoTrace: () => ended(trace.stop()),
    async blockProfile({ file, seconds }) {
      delay.sample(true);
      await wait(seconds);
      delay.sample(false);
      return ended(delay.write(file));
    },
    setBlockProfileRate({ rate }) {
      delay.sample(rate !== 0);
      return null;
    },
    writeBlockProfile: ({ file }) => ended(delay.write(file)),
    async mutexProfile({ file, seconds }) {
      await wait(seconds);
      return ended(writeNoMutexes(file));
    },
    setMutexProfileFraction: () => null,
    writeMutexProfile: ({ file }) => ended(writeNoMutexes(file)),
  };
}

function writeNoMutexes(file: string): Promise<void> {
  return writeFile(file, JSON.stringify({ mutexes: [] }));
}
