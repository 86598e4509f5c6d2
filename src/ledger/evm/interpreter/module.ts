import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, type WasmModule } from "./web-assembly.ts";

/** What the WebAssembly module exports; addresses and sizes are in bytes of its memory. */
export interface Interpreter {
  runExact(frame: number, steps: number): number;
  runFast(frame: number, quantum: number): number;
  charge(frame: number, extra: number): number;
  chargeCall(frame: number, extra: number, wanted: number): number;
  takeCreateGas(frame: number): void;
  hash(to: number, data: number, size: number): void;
  markJumps(code: number, size: number, jumps: number): void;
  analyse(code: number, size: number, table: number, ops: number): number;
}

const NAME = "interpreter.wasm";
/** In an installed package (any bundling) and, for code run from source, where `scripts/build-evm.mjs` puts it. */
const PLACES = [join("assets", NAME), join("node_modules", ".cache", "kairn", NAME)];

let compiled: WasmModule | undefined;

/** The compiled module, read on first use (about 2 ms; V8 compiles its functions when they are first called). */
export function interpreterModule(): WasmModule {
  compiled ??= compile(readFileSync(locate()));
  return compiled;
}

/**
 * Path of the module: it lies in one of `PLACES` under the nearest folder above this file that has one. So the same
 * rule serves sources (`src/ledger/evm/interpreter`), compiled files (`dist/ledger/…`) and bundles (`dist/*.js`,
 * `dist/chunks/*.js`).
 * @throws Error when it was not built
 */
function locate(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    for (const place of PLACES) {
      const path = join(folder, place);
      if (existsSync(path)) return path;
    }
    const above = dirname(folder);
    if (above === folder) throw new Error(`${NAME} is missing; run: node scripts/build-evm.mjs`);
    folder = above;
  }
}
