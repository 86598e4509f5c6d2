import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNode, type Node } from "../../../../src/node/create-node.ts";
import { systemRuntime } from "../../../../src/platform/runtime/system.ts";
import { hold, Skipped } from "../row.ts";

/** Maximum time until a node notices that a disk accepts writes again. */
const RECOVERY_MS = 30_000;

const call = (node: Node, method: string, ...params: unknown[]) => node.provider.request({ method, params });

/** A file system in memory of a few MiB at a folder; undefined if this process may not mount. */
function smallDisk(
  mebibytes: number,
): { resize(mebibytes: number): void; path: string; remove(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), "kairn-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    resize: (mebibytes) =>
      void execFileSync("mount", ["-o", `remount,size=${mebibytes}m`, path], { stdio: "ignore" }),
    remove: () => {
      execFileSync("umount", ["-l", path]);
      rmSync(path, { recursive: true });
    },
  };
}

/** Fills a small disk by blocks until it is full, then enlarges it. */
export async function fillDisk(mebibytes: number): Promise<string> {
  const disk = smallDisk(mebibytes);
  if (disk === undefined) throw new Skipped("this process may not mount a small file system");
  try {
    await using node = await createNode({
      ...{ dev: true, dataDir: join(disk.path, "data"), ipc: false },
      sealing: { kind: "manual" },
    });
    let refusal = "";
    for (let i = 0; refusal === "" && i < 100_000; i++)
      await call(node, "hardhat_mine", "0x40").catch((error: Error) => {
        refusal = error.message;
      });
    const health = node.health();
    hold(!health.isReady && health.code === "ENOSPC", `health ${JSON.stringify(health)}, ${refusal}`);
    const head = Number(await call(node, "eth_blockNumber"));
    for (let number = 0; number < head; number += 97)
      hold((await call(node, "eth_getBlockByNumber", `0x${number.toString(16)}`, false)) !== null, "a read");
    await checkRefusals(node, /ENOSPC/);
    disk.resize(512);
    await untilReady(node);
    await call(node, "evm_mine");
    const grown = Number(await call(node, "eth_blockNumber"));
    hold(grown > head, "no block after there was room");
    return `full at block ${head}: reads answered, writes refused (ENOSPC), went on to block ${grown}`;
  } finally {
    disk.remove();
  }
}

/** Lets every `every`-th write to the log fail, with varying errors, while the chain still grows. */
export async function failingWrites(rounds: number): Promise<string> {
  let writes = 0;
  let every = Number.POSITIVE_INFINITY;
  let code = "EIO";
  const openAppend: typeof systemRuntime.files.openAppend = (path) => {
    const file = systemRuntime.files.openAppend(path);
    return {
      // Some of the bytes may have been written before the error.
      append: async (bytes) => {
        if (++writes % every !== 0) return file.append(bytes);
        await file.append(bytes.subarray(0, bytes.length >> 1));
        throw Object.assign(new Error(`${code}: a failed write`), { code });
      },
      close: () => file.close(),
    };
  };
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-faults-"));
  const runtime = { ...systemRuntime, files: { ...systemRuntime.files, openAppend } };
  let refused = 0;
  let head = 0;
  try {
    const options = { dev: true, dataDir, ipc: false, sealing: { kind: "manual" as const }, runtime };
    for (let round = 0; round < rounds; round++) {
      await using node = await createNode(options);
      hold(Number(await call(node, "eth_blockNumber")) >= head, "an acknowledged block is gone");
      every = 2 + (round % 5);
      code = ["EIO", "ENOSPC", "EROFS"][round % 3] as string;
      for (let block = 0; block < 6; block++) {
        await call(node, "evm_mine").catch((error: Error) => {
          hold(error.message.includes(code), error.message);
          refused++;
        });
        await untilReady(node);
      }
      every = Number.POSITIVE_INFINITY;
      await untilReady(node);
      head = Number(await call(node, "eth_blockNumber"));
    }
    hold(refused > 0, "no write failed");
    return `${refused} of ${rounds * 6} blocks refused with the reason, none lost, ${head} blocks in the end`;
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

async function checkRefusals(node: Node, reason: RegExp): Promise<void> {
  const [from] = (await call(node, "eth_accounts")) as string[];
  const writes: [string, ...unknown[]][] = [
    ["eth_sendTransaction", { from, to: from, value: "0x1" }],
    ["evm_mine"],
    ["anvil_setBalance", from, "0x1"],
  ];
  for (const [method, ...params] of writes) {
    const answer = await call(node, method, ...params).catch((error: Error) => error);
    hold(answer instanceof Error && reason.test(answer.message), `${method} returned ${answer}`);
  }
}

async function untilReady(node: Node): Promise<void> {
  const end = performance.now() + RECOVERY_MS;
  while (!node.health().isReady) {
    hold(performance.now() < end, `not ready again: ${JSON.stringify(node.health())}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
