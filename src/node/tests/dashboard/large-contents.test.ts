import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ContractReport } from "../../../api/rpc/spec/dashboard/contract-wire.ts";
import type {
  Overview,
  PoolReport,
  TraceNode,
  TraceReport,
  TransactionReport,
} from "../../../api/rpc/spec/dashboard/wire.ts";
import { createNode, type Node } from "../../create-node.ts";
import { callAs, sessionOf } from "../../testing/page-client.ts";

const CONTRACT = `0x${"1a".repeat(20)}`;
const CALLER = `0x${"1b".repeat(20)}`;
let node: Node;
let accounts: readonly string[];

const ask = <T>(method: string, ...params: unknown[]) =>
  node.provider.request({ method, params }) as Promise<T>;
const read = async <T>(method: string, ...params: unknown[]): Promise<{ size: number; result: T }> => {
  const { body } = await callAs(node, undefined, method, params);
  return { size: body.length, result: JSON.parse(body).result };
};

beforeAll(async () => {
  node = await createNode({ dashboard: { port: 0, publicRead: true } });
  accounts = await ask("kaia_accounts");
});
afterAll(() => node?.stop());

/** Code that emits `count` events of `size` bytes. */
function emitter(count: number, size: number): string {
  const hex = (value: number) => value.toString(16).padStart(6, "0");
  // PUSH0 [JUMPDEST PUSH3 size PUSH0 LOG0 PUSH1 1 ADD DUP1 PUSH3 count GT PUSH1 1 JUMPI] STOP
  return `0x5f5b62${hex(size)}5fa06001018062${hex(count)}1160015700`;
}

async function emit(count: number, size: number): Promise<string> {
  await ask("anvil_setCode", CONTRACT, emitter(count, size));
  return send(CONTRACT);
}

function send(to: string): Promise<string> {
  const call = { typeInt: 48, to, value: "0x0", input: "0x", gas: "0x5f5e100" };
  return ask("kaia_sendTransaction", { ...call, from: accounts[0] });
}

describe("what a page asks for is bounded, whatever the chain holds", () => {
  it("a transaction has its first 200 events, with the beginning of their data", async () => {
    const hash = await emit(300, 12_000);
    const { size, result } = await read<TransactionReport>("dashboard_transaction", hash);
    const logs = result.receipt?.["logs"] as { data: string }[];
    expect([result.eventCount, logs.length, result.events.length]).toEqual([300, 200, 200]);
    expect(logs[0]?.data).toHaveLength(2_001);
    expect(size).toBeLessThan(600_000);
    const few = (await read<TransactionReport>("dashboard_transaction", await emit(1, 12_000))).result;
    expect(few.receipt).toMatchObject({ logs: [{ data: expect.stringMatching(/^0x0{19998}…$/) }] });
  });

  it("a trace has 200 events of a call and 2,000 of all, and counts the others", async () => {
    const hash = await emit(300, 0);
    const { result } = await read<TraceReport>("dashboard_trace", hash);
    expect([result.root.events.length, result.omitted]).toEqual([200, 100]);
    const calling = `5f5f5f5f5f73${CONTRACT.slice(2)}5af150`;
    await ask("anvil_setCode", CALLER, `0x${calling.repeat(12)}00`);
    const all = (await read<TraceReport>("dashboard_trace", await send(CALLER))).result;
    const counts = all.root.calls.map(({ events }) => events.length);
    expect([counts, all.omitted]).toEqual([[...Array(10).fill(200), 0, 0], 12 * 300 - 2_000]);
  });

  it("a trace has calls in 64 levels, and counts one more", async () => {
    await ask("anvil_setCode", CALLER, "0x5f5f5f5f5f305af100"); // calls itself
    const { root, omitted } = (await read<TraceReport>("dashboard_trace", await send(CALLER))).result;
    let levels = 0;
    for (let call: TraceNode | undefined = root; call !== undefined; call = call.calls[0]) levels++;
    expect([levels, omitted]).toEqual([64, 1]);
  });

  it("events of a contract are searched in fewer blocks where there are too many", async () => {
    const few = async () => (await read<ContractReport>("dashboard_contract", CONTRACT)).result;
    await emit(9_000, 0);
    await ask("anvil_mine", "0x64");
    const last = await emit(9_000, 0);
    expect(await few()).toMatchObject({ since: Number(node.chain.head.header.number) - 50 });
    expect((await few()).events?.[0]?.transaction).toBe(last);
    await emit(9_000, 0);
    expect((await few()).events).toBeNull();
  });

  it("the pool has 25 senders with 100 transactions each, without their inputs", async () => {
    await ask("evm_setAutomine", false);
    const [from, other] = accounts.slice(2) as [string, string];
    const memo = { typeInt: 16, to: from, value: "0x0", gas: "0x1312d00", input: `0x${"ab".repeat(50_000)}` };
    for (let i = 0; i < 110; i++) await ask("kaia_sendTransaction", { ...memo, from });
    await ask("kaia_sendTransaction", { ...memo, from: other, nonce: "0x5" });
    for (let i = 0; i < 30; i++) {
      const guest = `0x${(0xa000 + i).toString(16).padStart(40, "0")}`;
      await ask("anvil_setBalance", guest, "0xde0b6b3a7640000");
      await ask("anvil_impersonateAccount", guest);
      await ask("eth_sendTransaction", { from: guest, to: from, value: "0x1" });
    }
    const { size, result } = await read<PoolReport>("dashboard_pool");
    expect([result.count, result.senders.length]).toEqual([32, 25]);
    expect(result.senders.slice(0, 2).map(({ address }) => address)).toEqual([other, from]);
    expect(result.senders[0]).toMatchObject({
      nonce: 0,
      pending: [],
      queued: [{ nonce: 5, isReady: false }],
    });
    expect(result.senders[1]?.pending.map(({ nonce }) => nonce)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
    expect(size).toBeLessThan(100_000);
  });
});

it("other machines do not see where the socket is, unless they have a session", async () => {
  const ipcPath = join(mkdtempSync(join(tmpdir(), "kairn-page-")), "k.ipc");
  const base = { port: 0, publicRead: true } as const;
  const exposed = { ...base, host: "0.0.0.0", hosts: ["0.0.0.0"] };
  for (const [dashboard, expected] of [
    [base, [ipcPath, ipcPath]],
    [exposed, [undefined, ipcPath]],
  ] as const) {
    await using one = await createNode({ dashboard, ipc: ipcPath, allowExposed: true });
    const shown = async (session?: string) =>
      (JSON.parse((await callAs(one, session, "dashboard_overview")).body).result as Overview).endpoints.ipc;
    expect([await shown(), await shown(await sessionOf(one))]).toEqual(expected);
  }
});
