import type { Session } from "node:inspector";

/** The stack of a worker thread. */
export interface ThreadStack {
  /** Name of the worker. */
  readonly name: string;
  /** Innermost first, `function (file:line:column)`; undefined if the thread is idle. */
  readonly frames: readonly string[] | undefined;
}

/** How long threads have to reach a point where they can be paused; the others are idle. */
const PAUSE_TIMEOUT_MS = 250;
/** Maximum frames shown of a thread. */
const MAX_FRAMES = 50;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly lineNumber: number; readonly columnNumber: number };
}

interface Attached {
  readonly params: { readonly sessionId: string; readonly workerInfo: { readonly title: string } };
}

interface Received {
  readonly params: { readonly sessionId: string; readonly message: string };
}

/**
 * The stacks of all worker threads of the process. Each is paused briefly through the inspector protocol: a busy thread reports its
 * stack, an idle one is not affected.
 */
export async function threadStacks(timeoutMs: number = PAUSE_TIMEOUT_MS): Promise<readonly ThreadStack[]> {
  const { Session } = process.getBuiltinModule("node:inspector");
  const session = new Session();
  session.connect();
  try {
    return await collect(session, timeoutMs);
  } finally {
    session.disconnect();
  }
}

async function collect(session: Session, timeoutMs: number): Promise<readonly ThreadStack[]> {
  const names = new Map<string, string>();
  const frames = new Map<string, readonly string[]>();
  const ask = (sessionId: string, method: string): void => {
    const message = JSON.stringify({ id: 1, method });
    session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
  };
  session.on("NodeWorker.attachedToWorker", ({ params }: Attached) => {
    names.set(params.sessionId, params.workerInfo.title);
    ask(params.sessionId, "Debugger.enable");
    ask(params.sessionId, "Debugger.pause");
  });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    session.on("NodeWorker.receivedMessageFromWorker", ({ params }: Received) => {
      const stopped = framesIn(params.message);
      if (stopped === undefined) return;
      frames.set(params.sessionId, stopped);
      ask(params.sessionId, "Debugger.disable");
      if (frames.size < names.size) return;
      clearTimeout(timer);
      resolve();
    });
    session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  });
  for (const id of names.keys()) ask(id, "Debugger.disable");
  return [...names].map(([id, name]) => ({ name, frames: frames.get(id) }));
}

/** The frames in a `Debugger.paused` message; undefined for other messages. */
function framesIn(message: string): readonly string[] | undefined {
  if (!message.startsWith('{"method":"Debugger.paused"')) return undefined;
  const { params } = JSON.parse(message) as { params: { callFrames: readonly CallFrame[] } };
  return params.callFrames.slice(0, MAX_FRAMES).map(({ functionName, url, location }) => {
    const place = `${url === "" ? "<code>" : url}:${location.lineNumber + 1}:${location.columnNumber + 1}`;
    return `${functionName === "" ? "<anonymous>" : functionName} (${place})`;
  });
}
