import { writeNew } from "../../../../../platform/telemetry/dump-folder.ts";
import type { debugEventLoop } from "../../../spec/debug/event-loop.ts";
import type { Handlers } from "../../../spec/method.ts";
import { nullAfter } from "../null-after.ts";
import type { RuntimeDeps } from "./runtime.ts";
import { checkedSeconds, pause } from "./timed-profile.ts";

/** The process over time, and what waits in it. */
export function debugEventLoopHandlers({
  trace,
  delay,
  after,
  dumps,
}: RuntimeDeps): Handlers<typeof debugEventLoop> {
  return {
    async goTrace({ file, seconds }, { signal }) {
      const length = checkedSeconds(seconds);
      await nullAfter(trace.start(dumps.place(file)));
      await pause(after, length, signal);
      return nullAfter(trace.stop());
    },
    startGoTrace: async ({ file }) => nullAfter(trace.start(dumps.place(file))),
    stopGoTrace: () => nullAfter(trace.stop()),
    async blockProfile({ file, seconds }, { signal }) {
      const path = dumps.place(file);
      const length = checkedSeconds(seconds);
      delay.sample(true);
      await pause(after, length, signal);
      delay.sample(false);
      return nullAfter(delay.write(path));
    },
    setBlockProfileRate({ rate }) {
      delay.sample(rate !== 0);
      return null;
    },
    writeBlockProfile: async ({ file }) => nullAfter(delay.write(dumps.place(file))),
    async mutexProfile({ file, seconds }, { signal }) {
      const path = dumps.place(file);
      await pause(after, checkedSeconds(seconds), signal);
      return nullAfter(writeNoMutexes(path));
    },
    setMutexProfileFraction: () => null,
    writeMutexProfile: async ({ file }) => nullAfter(writeNoMutexes(dumps.place(file))),
  };
}

function writeNoMutexes(path: string): Promise<void> {
  return writeNew(path, JSON.stringify({ mutexes: [] }));
}
