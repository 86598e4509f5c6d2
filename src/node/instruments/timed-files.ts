import type { AppendFile, Files } from "../../platform/runtime/files.ts";
import type { Timer } from "../../platform/telemetry/metrics.ts";

/** Files whose appends, each with a sync, are timed; everything else is as it was. @param elapsed - monotonic milliseconds */
export function timedFiles(files: Files, appends: Timer, elapsed: () => number): Files {
  const openAppend: Files["openAppend"] = (path, readers): AppendFile => {
    const file = files.openAppend(path, readers);
    return {
      async append(bytes) {
        const begunMs = elapsed();
        await file.append(bytes);
        appends.update(elapsed() - begunMs);
      },
      close: () => file.close(),
    };
  };
  return new Proxy(files, {
    get(target, name) {
      if (name === "openAppend") return openAppend;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
