/** A progress line: redrawn in place on a terminal, printed now and then elsewhere. */
export interface ProgressLine {
  /**
   * @param fraction - 0…1
   * @param text - called when the line is drawn, which is seldom
   */
  update(fraction: number, text: () => string): void;
  done(): void;
}

const WIDTH = 24;

/** @param now - epoch milliseconds */
export function createProgressLine(
  stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
  now: () => number,
): ProgressLine {
  const started = now();
  const pauseMs = stream.isTTY ? 100 : 5000;
  let last = started;
  return {
    update(fraction, text) {
      if (now() - last < pauseMs) return;
      last = now();
      const left = fraction > 0 ? ((last - started) / fraction) * (1 - fraction) : Number.NaN;
      const bar = "█".repeat(Math.round(fraction * WIDTH)).padEnd(WIDTH, "░");
      const line = `${bar} ${(fraction * 100).toFixed(1).padStart(5)} %  ${text()}  ${formatSeconds(left)} left`;
      stream.write(stream.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
    },
    done() {
      if (stream.isTTY) stream.write("\r\u001b[K");
    },
  };
}

/** Shows the progress of indexing the logs of a chain written by an older version. */
export function createIndexingLine(
  stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
): (block: number, head: number) => void {
  const line = createProgressLine(stream, Date.now);
  return (block, head) => {
    if (block === head) line.done();
    else line.update(block / head, () => `logs indexed up to block ${block}`);
  };
}

function formatSeconds(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
