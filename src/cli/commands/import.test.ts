import { expect, it, vi } from "vitest";
import { createCodeCompilation } from "../../node/workers/code-compilation.ts";
import { kairn, newFolder } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./import.ts";

vi.mock("../../node/workers/code-compilation.ts", { spy: true });

it("compiles hot contracts on its own thread", async () => {
  const { code } = await kairn(["import", "--datadir", newFolder(), "none.rlp"]);
  expect(code).not.toBe(0); // the folder has no chain
  expect(vi.mocked(createCodeCompilation).mock.calls).toEqual([["auto", { inThread: false }]]);
});
