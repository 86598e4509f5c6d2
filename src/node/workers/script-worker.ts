import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { createEvm } from "../../ledger/evm/interpreter/create-evm.ts";
import { precompiles } from "../../ledger/evm/precompiles/index.ts";
import { ScriptEngine } from "../../ledger/evm/tracers/script/script-engine.ts";
import { runScriptJob, type ScriptSources } from "../../ledger/execution/script-job.ts";
import { decodeAccount } from "../../protocol/account/account-codec.ts";
import { EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";
import type { JobMessage, Read, ReadAnswer, ScriptThreadSetup, ThreadMessage } from "./script-channel.ts";
import { errorOf, failureOf } from "./script-failure.ts";

// The thread in which tracers written by callers run, with the transactions that they watch. It has nothing of the node but
// what it asks for: it stands still until the main thread has read a part of the state for it.
const { signal } = workerData as ScriptThreadSetup;
const flag = new Int32Array(signal);
const evm = createEvm({ precompiles, now: Date.now });
let engine: ScriptEngine | undefined;

/** The engine, or a new one where the last script has left it in doubt or with much memory. */
async function soundEngine(): Promise<ScriptEngine> {
  if (engine === undefined || engine.isSpent) engine = await ScriptEngine.load();
  return engine;
}

const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);

parentPort?.on("message", async ({ job, answers }: JobMessage) => {
  try {
    const onBegin = () => tell({ kind: "begin" });
    const machine = { evm, engine: await soundEngine(), now: Date.now, onBegin };
    for (const outcome of runScriptJob(job, sourcesBehind(answers), machine)) {
      machine.engine = await soundEngine();
      if ("text" in outcome) tell({ kind: "outcome", text: outcome.text });
      else tell({ kind: "failure", failure: failureOf(outcome.error) });
    }
    tell({ kind: "done" });
  } catch (error) {
    tell({ kind: "failure", failure: failureOf(error) });
    tell({ kind: "done" });
  } finally {
    answers.close();
  }
});

/** The node's state, by way of a port. */
function sourcesBehind(answers: MessagePort): ScriptSources {
  const read = (what: Read) => ask(answers, what);
  return {
    state: {
      account(address) {
        const bytes = read({ kind: "account", address: address.slice() });
        return bytes && decodeAccount(bytes);
      },
      storage: (address, slot) =>
        read({ kind: "storage", address: address.slice(), slot: slot.slice() }) ?? EMPTY_BYTES,
      code: (hash) => read({ kind: "code", hash: hash.slice() }) ?? EMPTY_BYTES,
    },
    blockHash: (number) => read({ kind: "blockHash", number }) ?? EMPTY_BYTES,
  };
}

/** Stands still until the main thread has answered. */
function ask(answers: MessagePort, read: Read): Uint8Array | undefined {
  tell({ kind: "read", read });
  for (;;) {
    Atomics.wait(flag, 0, 0);
    Atomics.store(flag, 0, 0);
    const received = receiveMessageOnPort(answers);
    if (received === undefined) continue;
    const answer = received.message as ReadAnswer;
    if ("failure" in answer) throw errorOf(answer.failure);
    return answer.bytes;
  }
}
