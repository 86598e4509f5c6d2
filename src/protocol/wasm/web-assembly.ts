/** A compiled module, shared by all its instances. */
export type WasmModule = object & { readonly __module?: never };

/** Linear memory of a module; `buffer` is replaced when the memory grows. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Table of functions that are called by index. */
export interface WasmTable {
  readonly length: number;
  grow(places: number): number;
  set(place: number, callee: unknown): void;
}

/** The part of the WebAssembly interface used here. */
interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: object };
  readonly Memory: new (size: { initial: number; maximum?: number }) => WasmMemory;
  readonly RuntimeError: new () => Error;
}

// The type libraries declare it for browsers only, though every supported platform has it.
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WasmApi };

/** Compiles a module. @throws WebAssembly.CompileError when the bytes are not one */
export function compile(bytes: Uint8Array): WasmModule {
  return new WebAssembly.Module(bytes);
}

/** @typeParam Exports - what the module is known to export */
export function instantiate<Exports>(module: WasmModule, imports: object = {}): Exports {
  return new WebAssembly.Instance(module, imports).exports as Exports;
}

/** A memory of `pages` times 64 KiB; RAM is allocated only when written. @param maximum - pages; absent: 4 GiB */
export function createMemory(pages: number, maximum?: number): WasmMemory {
  return new WebAssembly.Memory({ initial: pages, ...(maximum !== undefined && { maximum }) });
}

/** Whether an error is a trap of a module. */
export function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError;
}
