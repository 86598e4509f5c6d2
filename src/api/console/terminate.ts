import { Session } from "node:inspector";

/**
 * Stops the JavaScript that a worker thread is running, such as an endless loop. The thread, its variables and its
 * messages live on; what ran is gone without a trace, `finally` included.
 * @param threadId - of the worker
 * @param onStopped - called once it has stopped
 * @see the domain NodeWorker of Node's inspector protocol
 */
export function terminateExecution(threadId: number, onStopped: () => void): void {
  const session = new Session();
  session.connect();
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
    if (workerInfo.workerId !== String(threadId)) return;
    const message = JSON.stringify({ id: 1, method: "Runtime.terminateExecution" });
    session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
  });
  session.on("NodeWorker.receivedMessageFromWorker", () => {
    session.disconnect();
    onStopped();
  });
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
}
