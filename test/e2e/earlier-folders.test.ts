import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, it, type TestContext } from "vitest";
import { answersOf, PASSPHRASE } from "../fixtures/folders/questions.mjs";
import { rpcCall } from "./json-rpc.ts";
import { runKairn, startKairn } from "./kairn-process.ts";
import { startNodeIn, temporaryFolder } from "./started-node.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/folders/", import.meta.url));
const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith(".tar.gz"))
  .map((file) => file.slice(0, -".tar.gz".length));
const FLAGS = ["--no-mining", "--ipcdisable", "--rpcport", "0", "--wsport", "0"];
/** Address of the imported key. */
const IMPORTED = "0x17c5185167401ed00cf5f5b2fc97d9bbfdb7d025";

function unpacked(name: string, { onTestFinished }: TestContext): string {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync("tar", ["-xzf", join(FIXTURES, `${name}.tar.gz`), "-C", folder]);
  return folder;
}

async function stopped(node: {
  child: { kill(signal: NodeJS.Signals): boolean };
  exited: Promise<number | null>;
}) {
  node.child.kill("SIGTERM");
  expect(await node.exited, node.printed.stderr).toBe(0);
}

it("has folders of a release of each format of the log, stopped and killed", () => {
  expect(names.filter((name) => name.endsWith("-killed")).length).toBeGreaterThanOrEqual(2);
  expect(names.filter((name) => name.endsWith("-stopped")).length).toBeGreaterThanOrEqual(2);
});

it.concurrent.for(names)(
  "answers about the folder %s as the release that wrote it, and goes on",
  async (name, context) => {
    const folder = unpacked(name, context);
    const expected = JSON.parse(gunzipSync(readFileSync(join(FIXTURES, `${name}.json.gz`))).toString());
    expect(Object.keys(expected).length).toBeGreaterThan(150);
    const node = await startNodeIn(folder, "--no-mining");
    const { http } = node.endpoints;
    expect(await rpcCall(http, "eth_blockNumber")).toBe("0x14");
    expect(await answersOf(http)).toEqual(expected);
    const mined = await rpcCall(http, "evm_mine").then(() =>
      rpcCall(http, "eth_getBlockByNumber", "0x15", true),
    );
    expect(mined.parentHash).toBe(expected['eth_getBlockByNumber ["0x14",true]'].hash);
    expect(mined.transactions).toMatchObject([{ value: "0x1", from: node.accounts[0]?.address }]);
    await stopped(node);
    for (const words of [
      ["db", "check"],
      ["account", "list"],
    ]) {
      const { code, stdout } = await runKairn([...words, "--datadir", folder]);
      expect(code).toBe(0);
      expect(stdout.toLowerCase()).toContain(words[0] === "db" ? "is right" : IMPORTED.slice(2));
    }
    const again = await startNodeIn(folder, "--no-mining");
    expect((await rpcCall(again.endpoints.http, "eth_getBlockByNumber", "0x15", true)).hash).toBe(mined.hash);
    const unlocked = await rpcCall(again.endpoints.http, "personal_unlockAccount", IMPORTED, PASSPHRASE, 60);
    expect(unlocked, again.printed.stderr).toBe(true);
    await stopped(again);
  },
);

it.concurrent.for(names)(
  "loses nothing of the folder %s if its first start is killed",
  async (name, context) => {
    const folder = unpacked(name, context);
    const head = JSON.parse(gunzipSync(readFileSync(join(FIXTURES, `${name}.json.gz`))).toString());
    for (const delay of [150, 300, 450, 600, 750]) {
      const node = startKairn(["dev", "--datadir", folder, ...FLAGS]);
      node.firstLine().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, delay));
      node.child.kill("SIGKILL");
      await node.exited;
    }
    const node = await startNodeIn(folder, "--no-mining");
    expect(await answersOf(node.endpoints.http)).toEqual(head);
    await stopped(node);
  },
);
