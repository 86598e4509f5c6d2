/**
 * Keeps the process running when nobody reads its output any more, such as after the reader of a pipe has exited: the output is
 * lost, but a node matters more than its log. A full disk under a log file is handled the same way.
 */
export function ignoreOutputErrors(...streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) stream.on("error", () => {});
}
