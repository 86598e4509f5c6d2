import { LARGE_FILE, readFileWithin } from "../../../../platform/intake/read-file.ts";
import { assetPath } from "../../../../platform/runtime/asset.ts";
import { compile, type WasmModule, type WasmTable } from "../../../../protocol/wasm/web-assembly.ts";

/** Exports of the WebAssembly module; addresses and sizes are in bytes of its memory. */
export interface Interpreter {
  runExact(frame: number, steps: number): number;
  runFast(frame: number, quantum: number): number;
  drive(quantum: number): number;
  charge(frame: number, extra: number): number;
  chargeCall(frame: number, extra: number, wanted: number): number;
  takeCreateGas(frame: number): void;
  useSlot(frame: number): number;
  takeSlot(owner: number, key: number): number;
  addAccount(address: number, owner: number, code: number): number;
  beginRun(usesCache: number): void;
  openScope(frame: number): void;
  commitScope(frame: number): void;
  revertScope(frame: number): void;
  beginPower(): void;
  continuePower(size: number): void;
  hash(to: number, data: number, size: number): void;
  markJumps(code: number, size: number, jumps: number): void;
  analyse(code: number, size: number, table: number, ops: number): number;
  /** Function table for compiled programs; the module's own entries are not called through it. */
  readonly table: WasmTable;
}

let compiled: WasmModule | undefined;

/** The module, loaded on first use (about 2 ms; V8 compiles its functions lazily). */
export function interpreterModule(): WasmModule {
  compiled ??= compile(readFileWithin(assetPath("interpreter.wasm"), LARGE_FILE));
  return compiled;
}
