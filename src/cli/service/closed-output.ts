/**
 * Keeps running when nobody reads the output any more, such as after the reader of a pipe has exited: the output is
 * lost, but a node is worth more than its log. A full disk under a log file is handled the same way.
 */
export function outliveOutput(...streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) stream.on("error", () => {});
}
