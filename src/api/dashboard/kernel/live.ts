import { useEffect, useState } from "preact/hooks";
import type { BlockRow, LiveEvent, LogLine, Sample, TransactionRow } from "../../rpc/spec/dashboard/wire.ts";
import { streamProtocols } from "./api.ts";
import { parseResponse } from "./visible.ts";

/** Maximum rows of a live list; a page shows at most two lists, so never more than 200 rows. */
export const MAX_LIVE = 60;
/** Blocks below which a list that lost some is fetched again. */
const FEW = 12;
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
let refetch: Refetch | undefined;
let refills = 0;
const returns = new Set<() => void>();

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

/** What may have been missed: the newest entries of the chain, and after a break those of the other lists. */
export type Known = Pick<Live, "blocks" | "rows"> &
  Partial<Pick<Live, "samples" | "lines">> & { readonly height: number };

/** Fetches what may have been missed. @param isBack - whether the stream was broken, so that the node may be another one */
export type Refetch = (isBack: boolean) => Promise<Known>;

/**
 * Opens the stream, or reopens it for another session. It is reopened whenever it closes.
 * @param first - the newest entries of the chain, which replace those of an earlier stream
 */
export function openStream(first: Known, ask: Refetch): void {
  closeStream();
  refetch = ask;
  const { height, blocks, rows } = first;
  change({ height, blocks, rows });
  let isBack = false;
  open(() => {
    refill(isBack, live);
    if (isBack) for (const watcher of returns) watcher();
    isBack = true;
  });
}

/** Closes the stream for good. */
export function closeStream(): void {
  const closed = socket;
  socket = undefined;
  closed?.close();
  change({ isConnected: false });
}

/** Calls back when a broken stream is open again. @returns a function that unsubscribes */
export function onReturn(watcher: () => void): () => void {
  returns.add(watcher);
  return () => returns.delete(watcher);
}

function open(onOpen: () => void): void {
  const url = new URL("/api", window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  const opened = new WebSocket(url, streamProtocols());
  socket = opened;
  let wasOpen = false;
  opened.onopen = () => {
    wasOpen = true;
    retryMs = RETRY_MS.first;
    change({ isConnected: true });
    onOpen();
    for (const [id, name] of ["live", "log"].entries())
      opened.send(JSON.stringify({ jsonrpc: "2.0", id, method: "dashboard_subscribe", params: [name] }));
  };
  opened.onmessage = ({ data }) => {
    if (socket === opened) take(parseResponse(data as string) as StreamMessage);
  };
  opened.onclose = () => {
    if (socket !== opened) return;
    change({ isConnected: false });
    // a page is not told why it was refused; a call is, and ends a session that the node no longer knows
    if (!wasOpen) refetch?.(true).catch(() => undefined);
    window.setTimeout(() => {
      if (socket === opened) open(onOpen);
    }, retryMs);
    retryMs = Math.min(RETRY_MS.max, retryMs * 2);
  };
}

/** Fetches what may be missing. Of responses that overtake each other, only that to the last request counts. */
function refill(isBack: boolean, stale: Pick<Live, "blocks" | "rows">): void {
  const round = ++refills;
  const take = (known: Known): void => {
    if (round === refills) catchUp(known, stale);
  };
  refetch?.(isBack).then(take, () => undefined); // a failure means that the stream is down again
}

interface StreamMessage {
  readonly params?: { readonly result?: LiveEvent | LogLine };
}

function take({ params }: StreamMessage): void {
  const event = params?.result;
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

/**
 * Merges fetched entries below those that the stream has delivered since.
 * @param stale - entries from before, which the chain may not have any more
 */
function catchUp(
  { height, blocks, rows, samples, lines }: Known,
  stale: Pick<Live, "blocks" | "rows">,
): void {
  const newer = live.blocks.filter((block) => block.number > height && !stale.blocks.includes(block));
  change({
    height: Math.max(height, newer[0]?.number ?? 0),
    blocks: mergedBlocks(newer, blocks),
    rows: mergedRows(
      live.rows.filter((row) => row.block > height && !stale.rows.includes(row)),
      rows,
    ),
    ...(samples && { samples: withLater(samples, live.samples) }),
    ...(lines && { lines: withLater(lines, live.lines) }),
  });
}

function removeFrom(first: number): void {
  change({
    height: first - 1,
    blocks: live.blocks.filter(({ number }) => number < first),
    rows: live.rows.filter(({ block }) => block < first),
  });
  if (live.blocks.length < Math.min(FEW, first)) refill(false, live);
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
