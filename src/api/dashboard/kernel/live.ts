import { useEffect, useState } from "preact/hooks";
import type { BlockRow, LiveEvent, LogLine, Sample, TransactionRow } from "../../rpc/spec/dashboard/wire.ts";
import { streamProtocols } from "./api.ts";

/** Maximum rows of a live list; a page shows at most two lists, so never more than 200 rows. */
export const MAX_LIVE = 60;
/** Maximum samples, one per second. */
const MAX_SAMPLES = 3_600;
/** Maximum lines of the log. */
const MAX_LINES = 500;
/** Delay before the stream is reopened, doubled each time. */
const RETRY_MS = { first: 500, max: 10_000 };

/** What the stream has delivered so far. Replaced on each change; lists are newest first except samples and log. */
export interface Live {
  readonly isConnected: boolean;
  readonly height: number | undefined;
  readonly blocks: readonly BlockRow[];
  readonly rows: readonly TransactionRow[];
  readonly samples: readonly Sample[];
  readonly lines: readonly LogLine[];
}

let live: Live = { isConnected: false, height: undefined, blocks: [], rows: [], samples: [], lines: [] };
const watchers = new Set<(live: Live) => void>();
let isDue = false;
let socket: WebSocket | undefined;
let retryMs = RETRY_MS.first;

/** The current state of the stream; updates at most once per animation frame. */
export function useLive(): Live {
  const [state, setState] = useState(live);
  useEffect(() => {
    watchers.add(setState);
    setState(live);
    return () => void watchers.delete(setState);
  }, []);
  return state;
}

/** Inserts a fetched list below what arrived meanwhile. */
export function seed(known: Partial<Pick<Live, "height" | "blocks" | "rows" | "samples" | "lines">>): void {
  change({
    height: live.height ?? known.height,
    blocks: mergedBlocks(live.blocks, known.blocks ?? []),
    rows: mergedRows(live.rows, known.rows ?? []),
    samples: known.samples === undefined ? live.samples : withLater(known.samples, live.samples),
    lines: known.lines === undefined ? live.lines : withLater(known.lines, live.lines),
  });
}

/** Fetched again after a reconnection, to fill the gap. */
export type Known = Pick<Live, "blocks" | "rows" | "samples" | "lines"> & { readonly height: number };

/**
 * Opens the stream, or reopens it for another session. It is reopened whenever it closes.
 * @param ask - fetches what may have been missed
 */
export function openStream(ask: () => Promise<Known>): void {
  socket?.close();
  let isBack = false;
  open(() => {
    if (isBack) ask().then(catchUp, () => undefined); // a failure means that the stream is down again
    isBack = true;
  });
}

function open(onOpen: () => void): void {
  const url = new URL("/api", window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  const opened = new WebSocket(url, streamProtocols());
  socket = opened;
  opened.onopen = () => {
    retryMs = RETRY_MS.first;
    change({ isConnected: true });
    onOpen();
    for (const [id, name] of ["live", "log"].entries())
      opened.send(JSON.stringify({ jsonrpc: "2.0", id, method: "dashboard_subscribe", params: [name] }));
  };
  opened.onmessage = ({ data }) => take(JSON.parse(data as string));
  opened.onclose = () => {
    if (socket !== opened) return;
    change({ isConnected: false });
    window.setTimeout(() => {
      if (socket === opened) open(onOpen);
    }, retryMs);
    retryMs = Math.min(RETRY_MS.max, retryMs * 2);
  };
}

function take(message: { params?: { result?: LiveEvent | LogLine } }): void {
  const event = message.params?.result;
  if (event === undefined) return;
  if (!("kind" in event)) change({ lines: [...live.lines, event].slice(-MAX_LINES) });
  else if (event.kind === "sample") change({ samples: [...live.samples, event.sample].slice(-MAX_SAMPLES) });
  else if (event.kind === "removal") removeFrom(event.first);
  else
    change({
      height: event.blocks[0]?.number ?? live.height,
      blocks: mergedBlocks(event.blocks, live.blocks),
      rows: mergedRows(event.rows, live.rows),
    });
}

/** Merges fetched entries below what the stream has delivered since it reopened. */
function catchUp({ height, blocks, rows, samples, lines }: Known): void {
  const newer = live.blocks.filter(({ number }) => number > height);
  change({
    height: Math.max(height, newer[0]?.number ?? 0),
    blocks: mergedBlocks(newer, blocks),
    rows: mergedRows(
      live.rows.filter(({ block }) => block > height),
      rows,
    ),
    samples: withLater(samples, live.samples),
    lines: withLater(lines, live.lines),
  });
}

function removeFrom(first: number): void {
  change({
    height: first - 1,
    blocks: live.blocks.filter(({ number }) => number < first),
    rows: live.rows.filter(({ block }) => block < first),
  });
}

function mergedBlocks(newer: readonly BlockRow[], older: readonly BlockRow[]): readonly BlockRow[] {
  const last = newer.at(-1)?.number ?? Number.POSITIVE_INFINITY;
  return [...newer, ...older.filter(({ number }) => number < last)].slice(0, MAX_LIVE);
}

/**
 * A fetched list, and what the stream delivered after it was read; both oldest first. Times are compared first: line
 * numbers start over when the node restarts.
 */
export function withLater<T extends { readonly at: number; readonly id?: number }>(
  fetched: readonly T[],
  streamed: readonly T[],
): readonly T[] {
  const last = fetched.at(-1);
  if (last === undefined) return streamed;
  const isLater = ({ at, id = 0 }: T): boolean => at > last.at || (at === last.at && id > (last.id ?? 0));
  return [...fetched, ...streamed.filter(isLater)];
}

function mergedRows(
  newer: readonly TransactionRow[],
  older: readonly TransactionRow[],
): readonly TransactionRow[] {
  const known = new Set(newer.map(({ hash }) => hash));
  return [...newer, ...older.filter(({ hash }) => !known.has(hash))].slice(0, MAX_LIVE);
}

function change(part: Partial<Live>): void {
  live = { ...live, ...part };
  if (isDue) return;
  isDue = true;
  const notify = (): void => {
    isDue = false;
    for (const watcher of watchers) watcher(live);
  };
  // a page in the background draws no frames
  if (document.hidden) window.setTimeout(notify, 500);
  else window.requestAnimationFrame(notify);
}
