/**
 * Goes on when nobody reads what is printed any more, as when the reader of a pipe has ended: what is written then is lost, and
 * a node is worth more than its log. A full disk under a log file counts the same.
 */
export function outliveOutput(...streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) stream.on("error", () => {});
}
