import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node } from "../create-node.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function nodeIn(dataDir: string): Promise<Node> {
  return createNode({ dev: true, dataDir, ipc: false, sealing: { kind: "manual" } });
}

const call = (node: Node, method: string, ...params: unknown[]) => node.provider.request({ method, params });
const mine = (node: Node, blocks: number) => call(node, "anvil_mine", blocks);

describe("admin_backup", () => {
  it("takes a consistent copy while blocks are sealed, on which a node can start", async () => {
    const folder = newFolder();
    const copy = join(folder, "copy");
    await using node = await nodeIn(join(folder, "data"));
    await mine(node, 30);
    await call(node, "anvil_setBalance", `0x${"12".repeat(20)}`, "0x1234");
    const { head } = node.chain;
    const [done] = await Promise.all([call(node, "admin_backup", copy), mine(node, 20)]);
    expect(done).toBe(true);
    await mine(node, 3);
    await using other = await nodeIn(copy);
    const { number } = other.chain.head.header;
    expect(number).toBeGreaterThanOrEqual(head.header.number);
    expect(other.chain.head.hash).toEqual(node.chain.hash(number));
    expect(await call(other, "eth_getBalance", `0x${"12".repeat(20)}`)).toBe("0x1234");
    await mine(other, 2);
    expect(other.chain.head.header.number).toBe(number + 2n);
  });

  it("refuses a non-empty folder, and reports its absolute path", async () => {
    const folder = newFolder();
    await using node = await nodeIn(join(folder, "data"));
    const full = newFolder();
    writeFileSync(join(full, "mine"), "");
    for (const [path, text] of [
      [full, /is not empty/],
      ["copy", /is not an absolute path/],
      [join(folder, "absent", "copy"), /no such file/],
      [join(full, "mine"), /not a directory/],
    ] as const)
      await expect(call(node, "admin_backup", path)).rejects.toThrow(text);
  });

  it("refuses a chain in memory", async () => {
    await using node = await createNode({ dev: true });
    await expect(call(node, "admin_backup", join(newFolder(), "copy"))).rejects.toThrow(/in memory/);
  });

  it("leaves a folder that nodes refuse if the copy is incomplete", async () => {
    const folder = newFolder();
    const copy = join(folder, "copy");
    await using node = await nodeIn(join(folder, "data"));
    await call(node, "admin_backup", copy);
    cpSync(join(copy, "chaindata", "store.mdb"), join(copy, "chaindata", "store.mdb.new"));
    rmSync(join(copy, "chaindata", "store.mdb"));
    await expect(nodeIn(copy)).rejects.toMatchObject({ code: "DATABASE_MISSING" });
  });
});
