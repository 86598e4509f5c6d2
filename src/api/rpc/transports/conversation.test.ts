import { describe, expect, it } from "vitest";
import type { RequestEnvelope } from "../engine/jsonrpc.ts";
import { Registry } from "../engine/registry.ts";
import { RpcServer } from "../engine/server.ts";
import { web3Handlers } from "../handlers/node/web3.ts";
import { createBudget } from "../services/budget.ts";
import { web3 } from "../spec/node/web3.ts";
import { Conversation } from "./conversation.ts";

const MAX_RUNNING = 256;
const request = (id: number, method: string, params = "[]") =>
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
const version = (id: number) => request(id, "web3_clientVersion");
/** A call that ends when the test lets it. */
const slow = (id: number) => request(id, "web3_sha3", '["0x"]');
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A conversation with a client, whose socket, slice and slow calls the test controls. */
function setUp() {
  const ending: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const sha3 = (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise((resolve) => ending.push(() => resolve(new Uint8Array(32))));
  };
  const registry = new Registry().mount("web3", web3, { ...web3Handlers("test"), sha3 } as never);
  const state = {
    isFull: false,
    isDue: false,
    isDueForSmall: false,
    isPaused: false,
    refuses: false,
    isCut: false,
  };
  const turns: { readonly owner: unknown; readonly begin: () => void }[] = [];
  const slice = {
    isDue: () => state.isDue,
    isDueForSmall: () => state.isDueForSmall,
    yield: (lane: string, owner: unknown) =>
      new Promise<void>((begin) => void (lane === "clients" && turns.push({ owner, begin }))),
  };
  const sent: number[] = [];
  let answered = 0;
  const carrier = {
    send: (text: unknown) => void sent.push(JSON.parse(String(text)).id),
    get isFull() {
      return state.isFull;
    },
    pause: () => {
      state.isPaused = true;
    },
    resume: () => {
      state.isPaused = false;
    },
    cutOff: () => {
      state.isCut = true;
    },
    answered: () => void answered++,
    refuses: ({ kind }: RequestEnvelope) => state.refuses && kind === "malformed",
  };
  const defects: unknown[][] = [];
  const server = new RpcServer((...defect) => defects.push(defect), {
    budget: { ...createBudget(), slice: slice as never },
  });
  const conversation = new Conversation(server, registry.access({ unsafe: true }), carrier);
  return { conversation, state, turns, sent, ending, signals, defects, carrier, answered: () => answered };
}

describe("a conversation with a client", () => {
  it("runs 256 calls at once, and reads no more until one of them has ended", async () => {
    const { conversation, state, sent, ending } = setUp();
    for (let id = 0; id < MAX_RUNNING; id++) conversation.receive(slow(id));
    expect([ending.length, state.isPaused, conversation.isBusy]).toEqual([MAX_RUNNING, false, true]);
    for (const id of [1000, 1001]) conversation.receive(version(id));
    expect([sent, state.isPaused]).toEqual([[], true]);
    ending[7]?.();
    await turn();
    expect([sent, state.isPaused]).toEqual([[7, 1000, 1001], false]);
    for (const end of ending) end();
    await turn();
    expect([sent.length, conversation.isBusy, conversation.isIdle]).toEqual([MAX_RUNNING + 2, false, true]);
  });

  it("sends no response while the client does not read, then all in order", () => {
    const { conversation, state, sent, answered } = setUp();
    state.isFull = true;
    for (const id of [1, 2, 3]) conversation.receive(version(id));
    expect([sent, state.isPaused, conversation.isBusy]).toEqual([[], true, true]);
    conversation.proceed();
    expect(sent).toEqual([]);
    state.isFull = false;
    conversation.proceed();
    expect([sent, state.isPaused, answered()]).toEqual([[1, 2, 3], false, 3]);
  });

  it("waits for one turn while other work is due, and stops reading meanwhile", async () => {
    const { conversation, state, turns, sent } = setUp();
    conversation.yield();
    expect(state.isPaused).toBe(false);
    state.isDue = true;
    conversation.yield();
    for (const id of [1, 2]) conversation.receive(version(id));
    expect([sent, state.isPaused]).toEqual([[], true]);
    expect(turns.map(({ owner }) => owner)).toEqual([conversation]);
    turns[0]?.begin();
    await turn();
    expect([sent, turns.length]).toEqual([[], 2]);
    state.isDue = false;
    turns[1]?.begin();
    await turn();
    expect([sent, state.isPaused, turns.length]).toEqual([[1, 2], false, 2]);
  });

  it("lets the first message of a read begin no slice, but wait for one that is used up", () => {
    const { conversation, state, sent } = setUp();
    state.isDue = true;
    conversation.receive(version(1), true);
    expect([sent, state.isPaused]).toEqual([[1], false]);
    state.isDueForSmall = true;
    conversation.receive(version(2), true);
    expect([sent, state.isPaused]).toEqual([[1], true]);
  });

  it("aborts calls and wipes pending messages once the client has disconnected", () => {
    const { conversation, state, signals, sent } = setUp();
    conversation.receive(slow(1));
    state.isFull = true;
    const waiting = version(2);
    conversation.receive(waiting);
    conversation.end();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(waiting.every((byte) => byte === 0)).toBe(true);
    state.isFull = false;
    conversation.proceed();
    conversation.receive(version(3));
    expect(sent).toEqual([]);
  });

  it("drops pending messages after one that ends the connection", () => {
    const { conversation, state, sent } = setUp();
    Object.assign(state, { isFull: true, refuses: true });
    for (const text of [version(1), Buffer.from("[1,]"), version(2)]) conversation.receive(text);
    state.isFull = false;
    conversation.proceed();
    expect(sent).toEqual([1]);
  });

  it("sends nothing for a message without an id, at once or later", async () => {
    const { conversation, sent, ending, answered } = setUp();
    for (const call of [version(1), slow(1)])
      conversation.receive(Buffer.from(String(call).replace('"id":1,', "")));
    expect([answered(), conversation.isBusy]).toEqual([1, true]);
    ending[0]?.();
    await turn();
    expect([sent, answered(), conversation.isBusy]).toEqual([[], 2, false]);
  });

  it("is cut off and reported when sending fails, at once or later", async () => {
    for (const call of [version(1), slow(1)]) {
      const { conversation, state, defects, carrier, ending } = setUp();
      const failure = new Error("no socket");
      carrier.send = () => {
        throw failure;
      };
      conversation.receive(call);
      ending[0]?.();
      await turn();
      expect([state.isCut, defects]).toEqual([true, [["connection", failure]]]);
    }
  });
});
