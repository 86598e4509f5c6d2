import { createRequire } from "node:module";
import { createMemory, type WasmMemory } from "../../../../protocol/wasm/web-assembly.ts";

/** The instantiated WebAssembly module of the package `@jitl/quickjs-wasmfile-release-sync`. */
export interface QuickJsModule {
  /** Replaced when the memory grows. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  callbacks: QuickJsCallbacks;
  _malloc(size: number): number;
  _free(address: number): void;
}

/** Callbacks of the engine. Values are addresses; 0 = `undefined`. */
export interface QuickJsCallbacks {
  callFunction(asyncify: undefined, context: number, self: number, count: number, values: number): number;
  shouldInterrupt(asyncify: undefined, runtime: number): number;
  loadModuleSource(): number;
  normalizeModule(): number;
  freeHostRef(): void;
}

/** The part of the engine's C API used here. Contexts, runtimes and values are addresses. */
export interface QuickJsFunctions {
  QTS_NewRuntime(): number;
  QTS_RuntimeSetMemoryLimit(runtime: number, bytes: number): void;
  QTS_RuntimeSetMaxStackSize(runtime: number, bytes: number): void;
  QTS_RuntimeEnableInterruptHandler(runtime: number): void;
  QTS_NewContext(runtime: number, intrinsics: number): number;
  QTS_GetGlobalObject(context: number): number;
  QTS_GetUndefined(): number;
  QTS_NewFunction(
    context: number,
    name: string,
    count: number,
    isConstructor: boolean,
    reference: number,
  ): number;
  QTS_NewArrayBuffer(context: number, bytes: number, length: number): number;
  QTS_NewString(context: number, text: number): number;
  QTS_GetString(context: number, value: number): number;
  QTS_GetArrayBuffer(context: number, value: number): number;
  QTS_GetArrayBufferLength(context: number, value: number): number;
  QTS_GetProp(context: number, object: number, name: number): number;
  QTS_SetProp(context: number, object: number, name: number, value: number): void;
  QTS_ArgvGetJSValueConstPointer(values: number, index: number): number;
  QTS_Eval(
    context: number,
    code: number,
    length: number,
    name: string,
    detectModule: number,
    flags: number,
  ): number;
  QTS_Call(context: number, callee: number, self: number, count: number, values: number): number;
  QTS_ResolveException(context: number, value: number): number;
  QTS_FreeValuePointer(context: number, value: number): void;
  QTS_FreeCString(context: number, text: number): void;
}

const PACKAGE = "@jitl/quickjs-wasmfile-release-sync";

type Factory = (options: { readonly wasmMemory: WasmMemory }) => Promise<QuickJsModule>;
type Functions = new (module: QuickJsModule) => QuickJsFunctions;

const PAGE = 0x10000;
/** Initial memory of the compiled module: static data, stack and heap. */
const FIRST_PAGES = (16 << 20) / PAGE;

/**
 * Loads a new engine with separate memory, in about 20 ms. The package is not read before the first call.
 * @param heapBytes - maximum growth of the memory, including what the node allocates in it
 */
export async function loadQuickJs(
  heapBytes: number,
): Promise<{ module: QuickJsModule; functions: QuickJsFunctions }> {
  const require = createRequire(import.meta.url);
  const make = require(`${PACKAGE}/emscripten-module`) as Factory;
  const { QuickJSFFI } = require(`${PACKAGE}/ffi`) as { QuickJSFFI: Functions };
  const wasmMemory = createMemory(FIRST_PAGES, FIRST_PAGES + heapBytes / PAGE);
  const module = await make({ wasmMemory });
  return { module, functions: new QuickJSFFI(module) };
}
