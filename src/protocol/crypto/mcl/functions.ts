import { compile, createMemory, instantiate, type WasmModule } from "../../wasm/web-assembly.ts";

/** The part of mcl's C interface used here. Points, field elements and buffers are addresses. */
export interface MclFunctions {
  __wasm_call_ctors(): void;
  /** 0 when it went well. */
  mclBn_init(curve: CurveId, compiledFor: number): number;
  malloc(size: number): number;
  free(address: number): void;
  mclBn_verifyOrderG1(verify: 0 | 1): void;
  mclBn_verifyOrderG2(verify: 0 | 1): void;
  mclBn_setETHserialization(on: 0 | 1): void;
  mclBn_setMapToMode(mode: number): number;
  /** 0 when it went well. */
  mclBnFp_setLittleEndian(x: number, bytes: number, size: number): number;
  mclBnFp_getLittleEndian(bytes: number, capacity: number, x: number): number;
  mclBnFp_setInt32(x: number, value: number): void;
  mclBnFp_neg(y: number, x: number): void;
  mclBnFp2_mul(z: number, x: number, y: number): void;
  mclBnFr_setBigEndianMod(x: number, bytes: number, size: number): number;
  mclBnFp_mapToG1(p: number, x: number): number;
  mclBnFp2_mapToG2(p: number, x: number): number;
  mclBnGT_setInt32(x: number, value: number): void;
  mclBnGT_mul(z: number, x: number, y: number): void;
  mclBnGT_isOne(x: number): number;
  mclBn_millerLoopVec(z: number, p: number, q: number, count: number): void;
  mclBn_finalExp(z: number, x: number): void;
  mclBnG1_isValid(p: number): number;
  mclBnG2_isValid(p: number): number;
  mclBnG1_isZero(p: number): number;
  mclBnG2_isZero(p: number): number;
  mclBnG1_isEqual(p: number, q: number): number;
  mclBnG2_isEqual(p: number, q: number): number;
  mclBnG1_isValidOrder(p: number): number;
  mclBnG2_isValidOrder(p: number): number;
  mclBnG1_normalize(q: number, p: number): void;
  mclBnG2_normalize(q: number, p: number): void;
  /** Bytes read; 0 when they are no point. */
  mclBnG1_deserialize(p: number, bytes: number, size: number): number;
  mclBnG2_deserialize(p: number, bytes: number, size: number): number;
  /** Bytes written; 0 when they do not fit. */
  mclBnG1_serialize(bytes: number, capacity: number, p: number): number;
  mclBnG2_serialize(bytes: number, capacity: number, p: number): number;
  /** 0 when it went well. */
  mclBnG2_hashAndMapToWithDst(p: number, bytes: number, size: number, tag: number, tagSize: number): number;
  mclBnG1_clear(p: number): void;
  mclBnG2_clear(p: number): void;
  mclBnG1_neg(q: number, p: number): void;
  mclBnG2_neg(q: number, p: number): void;
  mclBnG1_add(r: number, p: number, q: number): void;
  mclBnG2_add(r: number, p: number, q: number): void;
  mclBnG2_dbl(q: number, p: number): void;
  mclBnG1_mul(q: number, p: number, scalar: number): void;
  mclBnG2_mul(q: number, p: number, scalar: number): void;
  /** In constant time. */
  mclBnG1_mulCT(q: number, p: number, scalar: number): void;
  mclBnG2_mulCT(q: number, p: number, scalar: number): void;
  mclBnG1_mulVec(q: number, p: number, scalars: number, count: number): void;
  mclBnG2_mulVec(q: number, p: number, scalars: number, count: number): void;
}

/** mcl's numbers of the curves: `BN_SNARK1`, which is BN254 (alt_bn128), and BLS12-381. */
export type CurveId = 4 | 5;

/** One instance of mcl, for one curve. */
export interface MclInstance {
  readonly functions: MclFunctions;
  /** Its memory; must be read again after each call, since growing detaches it. */
  bytes(): Uint8Array;
}

/** Units of field and scalar that mcl is compiled for: 4 · 10 + 6, `MCLBN_COMPILED_TIME_VAR`. */
const COMPILED_FOR = 46;
/** Initial memory of the module, in pages of 64 KiB. */
const PAGES = 32;
/** The package contains its WebAssembly as text in a script, whose own loader is asynchronous. */
const BEGIN = "wasmBase64 = '";
const SCRIPT = "mcl-wasm/dist/mcl_c.js";

/** The Node.js modules that locate and read the package; absent in browsers. */
interface NodeProcess {
  getBuiltinModule?(name: "node:module"): {
    createRequire(from: string): { resolve(name: string): string };
  };
  getBuiltinModule?(name: "node:fs"): { readFileSync(path: string, encoding: "latin1"): string };
}

let compiled: WasmModule | undefined;

/** Whether this platform can read the package. */
export function hasMcl(): boolean {
  return nodeProcess()?.getBuiltinModule !== undefined;
}

/**
 * Creates an instance of mcl synchronously, since precompiles run inside a synchronous engine.
 * @throws Error when the package has an unexpected layout, and in a browser
 */
export function createMcl(curve: CurveId): MclInstance {
  compiled ??= compile(wasmOfPackage());
  const memory = createMemory(PAGES);
  const functions = instantiate<MclFunctions>(compiled, { env: { memory } });
  functions.__wasm_call_ctors();
  if (functions.mclBn_init(curve, COMPILED_FOR) !== 0) throw new Error(`mcl does not know curve ${curve}`);
  let bytes = new Uint8Array(memory.buffer);
  return {
    functions,
    bytes() {
      if (bytes.length === 0) bytes = new Uint8Array(memory.buffer);
      return bytes;
    },
  };
}

function wasmOfPackage(): Uint8Array {
  const node = nodeProcess();
  const path = node
    ?.getBuiltinModule?.("node:module")
    .createRequire(import.meta.url)
    .resolve(SCRIPT);
  const script = path && node?.getBuiltinModule?.("node:fs").readFileSync(path, "latin1");
  if (!script) throw new Error("no mcl for this platform");
  const start = script.indexOf(BEGIN) + BEGIN.length;
  const end = script.indexOf("'", start);
  if (start < BEGIN.length || end < 0) throw new Error(`${path} keeps its WebAssembly in a new way`);
  return bytesOfBase64(script.slice(start, end));
}

function bytesOfBase64(text: string): Uint8Array {
  // This floor is compiled without the types of Node, which alone gets here: a browser has no `process`.
  const { Buffer } = globalThis as unknown as {
    readonly Buffer: { from(text: string, encoding: "base64"): Uint8Array };
  };
  return Buffer.from(text, "base64");
}

function nodeProcess(): NodeProcess | undefined {
  return (globalThis as { readonly process?: NodeProcess }).process;
}
