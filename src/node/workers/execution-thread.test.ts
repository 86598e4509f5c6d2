import { expect, it, vi } from "vitest";
import type { ExecutionJob, JobSources } from "../../ledger/execution/job.ts";
import { MissingState } from "../../ledger/state/missing-state.ts";
import { ExecutionThread } from "./execution-thread.ts";
import { createChannel, ReadServer } from "./read-channel.ts";

const SILENT = new URL(
  "data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {})",
);

it("fails a job that cannot be sent, and continues", async () => {
  const thread = new ExecutionThread(SILENT);
  const job = { work: () => {} } as unknown as ExecutionJob;
  const terms = { timeMs: 60_000, signal: new AbortController().signal };
  const [outcome] = await thread.run(job, {} as JobSources, terms);
  expect(outcome).toMatchObject({ error: { name: "DataCloneError" } });
  expect(thread.isEnded).toBe(false);
  const sound = thread.run({} as ExecutionJob, {} as JobSources, terms);
  await thread.close(new Error("the end"));
  expect(await sound).toMatchObject([{ error: { message: "the end" } }]);
});

it("allows a job one minute of fetching in total", async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  try {
    const answerer = new ReadServer(createChannel());
    let isHere = false;
    const load = async () => {
      nowMs += 50_000;
      isHere = true;
    };
    const account = () => {
      if (isHere) return undefined;
      throw Object.assign(Object.create(MissingState.prototype), { load });
    };
    const sources = { state: { account } } as unknown as JobSources;
    expect(await answerer.answer(sources)).toBe(50_000);
    isHere = false;
    expect(await answerer.answer(sources)).toBe(10_000);
    isHere = false;
    expect(await answerer.answer(sources)).toBe(0);
    answerer.begin();
    expect(answerer.grantMs).toBe(60_000);
  } finally {
    clock.mockRestore();
  }
});
