/** Linear memory of a module; `buffer` is replaced when the memory grows. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the WebAssembly interface used here; the type libraries have it for browsers alone. */
interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
}

/**
 * Compiles and instantiates a module at once, which suits modules of some kilobytes.
 * @typeParam Exports - what the module is known to export
 */
export function instantiateWasm<Exports>(bytes: Uint8Array, imports: object = {}): Exports {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WasmApi };
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports as Exports;
}
