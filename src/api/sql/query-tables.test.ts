import { expect, it } from "vitest";
import { noRows } from "./block-rows.ts";
import { QueryTables } from "./query-tables.ts";

const MIB = 1024 * 1024;

it("cuts large blocks into statements by their bytes, and small ones by their rows", async () => {
  const statements: { readonly table: string; readonly bytes: number; readonly values: number }[] = [];
  const run = async (text: string, values: readonly unknown[] = []) => {
    const bytes = values.reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
    const table = /^INSERT INTO (\w+)/.exec(text)?.[1];
    if (table !== undefined) statements.push({ table, bytes, values: values.length });
    return [{ id: 1 }];
  };
  const connection = { transaction: (action: (run_: typeof run) => Promise<void>) => action(run) };
  const at = { height: 1n, hash: new Uint8Array(32) };
  const log = (bytes: number) => ["1", 0, 0, null, null, null, null, null, new Uint8Array(bytes)];
  const rows = { ...noRows(), logs: Array.from({ length: 20 }, () => log(MIB)) };
  const tables = new QueryTables(connection as never);
  const transactions = Array.from({ length: 3_000 }, () => Array(16).fill("1"));
  async function* pieces() {
    yield { ...rows, transactions };
  }
  await tables.append(at, pieces, at);
  const of = (name: string) => statements.filter(({ table }) => table === name);
  expect(of("logs").map(({ bytes }) => bytes)).toEqual(Array(5).fill(4 * MIB));
  expect(of("transactions").map(({ values }) => values / 16)).toEqual([1250, 1250, 500]);
});
