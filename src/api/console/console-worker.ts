import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Json } from "../../protocol/codec/json/value.ts";
import {
  type Bridge,
  type BridgeQuestion,
  type BridgeReply,
  type NumberedReply,
  RemoteCallError,
  type WorkerCommand,
  type WorkerMessage,
} from "./bridge.ts";
import type { WorkerSetup } from "./evaluator.ts";
import { createCatalogue } from "./methods/catalogue.ts";
import { explain } from "./sandbox/explain.ts";
import { createSandbox } from "./sandbox/sandbox.ts";

// The thread that runs what the user types. It blocks while a call is in progress, so that calls look synchronous;
// the node, the connection and the terminal live in the main thread.
const { replies, signal, modules, document, colors, scriptFolder } = workerData as WorkerSetup;
const flag = new Int32Array(signal);
const post = (message: WorkerMessage): void => parentPort?.postMessage(message);

let lastId = 0;

/** Sends a request to the main thread and blocks until the reply. */
function ask(question: BridgeQuestion): unknown {
  const id = ++lastId;
  post({ kind: "ask", id, question });
  const answer = waitFor(id);
  if ("failure" in answer) throw new RemoteCallError(answer.failure);
  return answer.value;
}

/** Drops replies to stopped requests. */
function waitFor(id: number): BridgeReply {
  for (;;) {
    Atomics.wait(flag, 0, 0);
    Atomics.store(flag, 0, 0);
    for (let next = receiveMessageOnPort(replies); next; next = receiveMessageOnPort(replies)) {
      const reply = next.message as NumberedReply;
      if (reply.id === id) return reply.answer;
    }
  }
}

const bridge: Bridge = {
  call: (method, params) => ask({ kind: "call", method, params }) as Json,
  secret: (question, twice) => ask({ kind: "secret", question, twice }) as string,
  sleep: (milliseconds) => void ask({ kind: "sleep", milliseconds }),
  print: (text) => post({ kind: "print", text }),
};

let abandon: (() => void) | undefined;
const sandbox = createSandbox({
  catalogue: createCatalogue(modules, document),
  bridge,
  colors,
  scriptFolder,
  onAwait: () => post({ kind: "awaiting" }),
  abandoned: () =>
    new Promise((_, reject) => {
      abandon = () => reject(new RemoteCallError({ message: "interrupted" }));
    }),
});

parentPort?.on("message", async (command: WorkerCommand) => {
  if (command.kind === "abandon") abandon?.();
  else if (command.kind === "ping") post({ kind: "pong" });
  else if (command.kind === "complete") post({ kind: "completions", ...sandbox.complete(command.line) });
  else {
    post({ kind: "running" });
    post({ kind: "done", outcome: await sandbox.evaluate(command.source, command.file) });
  }
});

// A failure in a user's timer or an unhandled rejection ends neither the thread nor the console.
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => bridge.print(`${explain(error, { colors })}\n`));
