import { expect, it } from "vitest";
import { COMPILE_MODES, HOT } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { TABLE_SIZE } from "../../ledger/evm/engine/layout.ts";
import { createCodeCompilation } from "./code-compilation.ts";

it.each([
  [COMPILE_MODES[0], undefined],
  [COMPILE_MODES[1], HOT],
  [COMPILE_MODES[2], 0],
])("without a thread, `%s` compiles synchronously", async (mode, threshold) => {
  const compilation = createCodeCompilation(mode, { inThread: false });
  expect(compilation?.threshold).toBe(threshold);
  let done = 0;
  compilation?.compile(Uint8Array.of(0), new Uint8Array(TABLE_SIZE), () => done++);
  expect(done).toBe(threshold === undefined ? 0 : 1);
  await compilation?.close();
});
