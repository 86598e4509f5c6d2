import { Session } from "node:inspector";

/** Stops the JavaScript that a worker thread is running, such as an endless loop. */
export interface Terminator {
  /**
   * Stops running code. The thread, its variables and its messages survive; not even `finally` blocks run. No effect on
   * an idle thread.
   */
  terminate(): void;
  close(): void;
}

/**
 * Attaches to a worker thread.
 * @param threadId - of the worker
 * @see the domain NodeWorker of Node's inspector protocol
 */
export function attachTerminator(threadId: number): Promise<Terminator> {
  const session = new Session();
  let lastId = 0;
  session.connect();
  return new Promise((resolve) => {
    session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
      if (workerInfo.workerId !== String(threadId)) return;
      resolve({
        terminate() {
          const message = JSON.stringify({ id: ++lastId, method: "Runtime.terminateExecution" });
          session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
        },
        close: () => session.disconnect(),
      });
    });
    session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  });
}
