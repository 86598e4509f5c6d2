import { at, brokenRules, differences } from "./compare.ts";
import type { Case, Json, Recording, RpcCase, Rule, Step } from "./format.ts";
import { exchange, postJson } from "./http.ts";
import type { RunningNode } from "./node-process.ts";
import { converse } from "./streams.ts";
import { Variables } from "./variables.ts";

const UNTIL_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

/** Some recordings use the first wallet, and expect the funded account in the keystore. */
const FIRST_WALLET: Step = {
  allowError: true,
  request: {
    jsonrpc: "2.0",
    id: 1,
    method: "personal_importRawKey",
    params: ["752a08fd165dcc7f37f3e444cf485c5b2020e4096a2cfd02f823a8b8280baaab", "pw"],
  },
};

/** Receives the name and differences of each case. */
export type Report = (name: string, differences: readonly string[]) => void;

/** Replays one recording: its prelude, then its cases in order. @throws Error if the prelude fails */
export async function replay(recording: Recording, node: RunningNode, report: Report): Promise<void> {
  const session = new Session(recording, node);
  await session.run(FIRST_WALLET);
  for (const step of recording.prelude) await session.run(step);
  for (const test of recording.cases) {
    try {
      report(test.name, await session.check(test));
    } catch (error) {
      report(test.name, [error instanceof Error ? error.message : String(error)]);
    }
  }
}

class Session {
  readonly #variables = new Variables();
  readonly #recording: Recording;
  readonly #node: RunningNode;

  constructor(recording: Recording, node: RunningNode) {
    this.#recording = recording;
    this.#node = node;
  }

  /** @returns the differences of a case from the recording */
  check(test: Case): Promise<string[]> {
    if (test.transport === "http") {
      const { response } = test;
      const expected = "responses" in response ? response.responses : [response];
      return exchange(this.#node.httpPort, test.http, expected);
    }
    if (test.transport !== undefined) return converse(test, this.#node);
    return this.#checkRpc(test);
  }

  async #checkRpc(test: RpcCase): Promise<string[]> {
    for (const step of test.setup ?? []) await this.run(step);
    const text =
      test.rawRequest === undefined ? JSON.stringify(this.#variables.fill(test.request)) : undefined;
    const answer = (await this.#post(text ?? this.#variables.fillText(test.rawRequest as string))) ?? null;
    const expected = this.#variables.fill(expectedOf(test)) as { [key: string]: Json };
    const rules = (this.#variables.fill((test.match ?? []) as unknown as Json) ?? []) as unknown as Rule[];
    return [...compared(test, expected, answer), ...brokenRules(answer, rules)];
  }

  /** Does one step. @throws Error if the node rejects it or takes too long */
  async run(step: Step): Promise<void> {
    if (step.sleepMs !== undefined) return sleep(step.sleepMs);
    if (step.waitBlocks !== undefined) return this.#waitBlocks(step.waitBlocks);
    const text = JSON.stringify(this.#variables.fill(step.request as Json));
    const end = Date.now() + UNTIL_TIMEOUT_MS;
    let answer = (await this.#post(text)) ?? null;
    while (step.until !== undefined && (at(answer, step.until) ?? null) === null) {
      if (Date.now() > end) throw new Error(`no ${step.until} in the response to ${text}`);
      await sleep(POLL_MS);
      answer = (await this.#post(text)) ?? null;
    }
    const error = at(answer, "/error");
    if (error !== undefined && step.allowError !== true)
      throw new Error(`setup failed: ${text.slice(0, 200)}: ${JSON.stringify(error)}`);
    this.#variables.keep(answer, step.capture);
  }

  async #waitBlocks(count: number): Promise<void> {
    const method = `${this.#recording.chainNamespace}_blockNumber`;
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    const number = async () => Number(at(await this.#post(text), "/result"));
    const goal = (await number()) + count;
    const end = Date.now() + UNTIL_TIMEOUT_MS;
    while ((await number()) < goal) {
      if (Date.now() > end) throw new Error(`block ${goal} was not made`);
      await sleep(POLL_MS);
    }
  }

  #post(text: string): Promise<Json | undefined> {
    return postJson(this.#node.httpPort, text);
  }
}

/** The recorded response, or what the specification demands instead. */
function expectedOf({ response, seed }: RpcCase): Json {
  if (seed === undefined) return response;
  return { jsonrpc: "2.0", id: response["id"] as Json, ...seed };
}

function compared(test: RpcCase, expected: { [key: string]: Json }, answer: Json): string[] {
  if (test.compare === undefined || !("result" in expected))
    return differences(expected, answer, test.volatile);
  return test.compare.flatMap((pointer) => {
    const actual = at(answer, pointer);
    if (actual === undefined) return [`${pointer}: missing`];
    return differences(at(expected, pointer) as Json, actual, test.volatile, pointer);
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
