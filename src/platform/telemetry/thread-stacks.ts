import type { Session } from "node:inspector";

/** A thread besides the main one. */
export interface ThreadStack {
  /** As it was named. */
  readonly name: string;
  /** Innermost first, `function (file:line:column)`; undefined of one that waits for work. */
  readonly frames: readonly string[] | undefined;
}

/** How long threads have to reach a point where they can be inspected; the others are waiting. */
const TIMEOUT_MS = 250;
/** Frames that are shown of a thread. */
const MOST_FRAMES = 50;

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
 * The stacks of all other threads of the process. Each is stopped for a moment, by the inspector's protocol: a thread that computes
 * tells where, one that waits for work is undisturbed.
 */
export async function threadStacks(patienceMs: number = TIMEOUT_MS): Promise<readonly ThreadStack[]> {
  const { Session } = process.getBuiltinModule("node:inspector");
  const session = new Session();
  session.connect();
  try {
    return await collect(session, patienceMs);
  } finally {
    session.disconnect();
  }
}

async function collect(session: Session, patienceMs: number): Promise<readonly ThreadStack[]> {
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
    const timer = setTimeout(resolve, patienceMs);
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

/** Where a thread stands, by a message that says that it has stopped. */
function framesIn(message: string): readonly string[] | undefined {
  if (!message.startsWith('{"method":"Debugger.paused"')) return undefined;
  const { params } = JSON.parse(message) as { params: { callFrames: readonly CallFrame[] } };
  return params.callFrames.slice(0, MOST_FRAMES).map(({ functionName, url, location }) => {
    const place = `${url === "" ? "<code>" : url}:${location.lineNumber + 1}:${location.columnNumber + 1}`;
    return `${functionName === "" ? "<anonymous>" : functionName} (${place})`;
  });
}
