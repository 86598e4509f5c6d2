import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { runKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

const recorded = fileURLToPath(new URL("../fixtures/chains/load-evm/", import.meta.url));
const chainFile = join(recorded, "chain.rlp.gz");

it("exports an imported chain byte for byte, plain and as gzip, and rejects targets that cannot be written", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = (command: string, ...args: string[]) => runKairn([command, "--datadir", folder, ...args]);
  const kairn = async (command: string, ...args: string[]) =>
    expect(await run(command, ...args)).toMatchObject({ code: 0 });
  await kairn("init", join(recorded, "genesis.json"));
  await kairn("import", chainFile);

  const file = join(folder, "chain.rlp");
  await kairn("export", file, "1");
  await kairn("export", `${file}.gz`, "1");
  const blocks = gunzipSync(readFileSync(chainFile));
  expect(readFileSync(file).equals(blocks)).toBe(true);
  expect(gunzipSync(readFileSync(`${file}.gz`)).equals(blocks)).toBe(true);

  writeFileSync(file, "kept");
  expect(await run("export", file, "1", "35")).toMatchObject({
    code: 1,
    stderr: "kairn: export failed on #35: not found\n",
  });
  expect(readFileSync(file, "utf8")).toBe("kept");
  for (const name of ["chain.rlp", "chain.rlp.gz"]) {
    const { code, stderr } = await run("export", join(folder, "nowhere", name));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^kairn: ENOENT/) });
  }
});
