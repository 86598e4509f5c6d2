import { LARGE_FILE, readTextWithin } from "../../../../platform/intake/read-file.ts";
import { assetPath } from "../../../../platform/runtime/asset.ts";
import { isTrap } from "../../../../protocol/wasm/web-assembly.ts";
import { type HostResponse, Register, SHARED_BYTES, SHARED_SIZE, SHARED_WORDS } from "./protocol.ts";
import { loadQuickJs, type QuickJsFunctions, type QuickJsModule } from "./quickjs-module.ts";

/** Memory limit of a script: values, code, results, and responses of the node. */
const MEMORY_LIMIT = 64 << 20;
/** Allows about 1,000 nested calls. */
const STACK_LIMIT = 256 << 10;
/** All intrinsics but promises and non-standard ones. */
const INTRINSICS = 0b1011_1111_1111;
/** A global script, as `eval` runs it. */
const EVAL_GLOBAL = 0;

/** EntryPoint points of assets/tracers/objects.js. */
const ENTRIES = ["create", "step", "fault", "enter", "exit", "result"] as const;
type EntryPoint = (typeof ENTRIES)[number];

/** The node's side of a running script. */
export interface ScriptHost {
  /** Answers a request, whose arguments are in the registers, and possibly bytes or a text. */
  answer(request: number, bytes: () => Uint8Array, text: () => string): HostResponse;
  /** Whether to stop the script; polled every few thousand operations. */
  shouldStop(): boolean;
}

/**
 * A JavaScript engine (QuickJS) in WebAssembly with the globals of tracers. It has separate memory and no access to the outside
 * except through `protocol.ts`; its memory is restored to the state after loading before each script.
 */
export class ScriptEngine {
  readonly #module: QuickJsModule;
  readonly #functions: QuickJsFunctions;
  readonly #context: number;
  readonly #shared: number;
  readonly #undefined: number;
  readonly #entries: ReadonlyMap<EntryPoint, number>;
  /** The memory after loading, without trailing zeros, and its full size. */
  readonly #pristine: Uint8Array;
  readonly #size: number;
  #host: ScriptHost | undefined;
  #heap = new Uint8Array(0);
  #registers = new Float64Array(0);
  #words = new BigUint64Array(0);
  #bytes = new Uint8Array(0);
  /** Why the engine itself trapped, if it did: deep nesting that it does not check. */
  #trap: string | undefined;

  /** Loads an engine: about 30 ms. */
  static async load(): Promise<ScriptEngine> {
    const { module, functions } = await loadQuickJs(MEMORY_LIMIT);
    return new ScriptEngine(module, functions);
  }

  private constructor(module: QuickJsModule, functions: QuickJsFunctions) {
    this.#module = module;
    this.#functions = functions;
    module.callbacks = {
      callFunction: (_asyncify, _context, _self, count, values) => this.#answer(count, values),
      shouldInterrupt: () => (this.#host?.shouldStop() ? 1 : 0),
      loadModuleSource: () => 0,
      normalizeModule: () => 0,
      freeHostRef: () => {},
    };
    const runtime = functions.QTS_NewRuntime();
    functions.QTS_RuntimeSetMemoryLimit(runtime, MEMORY_LIMIT);
    functions.QTS_RuntimeSetMaxStackSize(runtime, STACK_LIMIT);
    functions.QTS_RuntimeEnableInterruptHandler(runtime);
    this.#context = functions.QTS_NewContext(runtime, INTRINSICS);
    this.#undefined = functions.QTS_GetUndefined();
    this.#shared = module._malloc(SHARED_SIZE);
    this.#entries = this.#createGlobals();
    this.#size = module.HEAPU8.length;
    this.#pristine = withoutZeros(module.HEAPU8);
  }

  /** Whether the engine must be discarded: it has trapped, or its memory has grown. */
  get isUnusable(): boolean {
    return this.#trap !== undefined || this.#module.HEAPU8.length > this.#size;
  }

  /** Resets the memory for a new script. */
  begin(host: ScriptHost): void {
    this.#module.HEAPU8.set(this.#pristine);
    this.#host = host;
    this.#renewViews();
  }

  /** Registers, indexed by `Register`; the view is valid until the next call. */
  get registers(): Float64Array {
    this.#renewViews();
    return this.#registers;
  }

  /** The shared word in limbs and in bytes; the views are valid until the next call. */
  get words(): BigUint64Array {
    this.#renewViews();
    return this.#words;
  }

  get bytes(): Uint8Array {
    this.#renewViews();
    return this.#bytes;
  }

  /**
   * Calls an entry point; `isDone` tells whether it completed.
   * @returns the text returned by `create` and `result`
   * @throws what the host throws
   */
  call(entry: EntryPoint, text?: string): string {
    this.registers[Register.done] = 0;
    if (this.#trap !== undefined) return "";
    try {
      return this.#enter(entry, text);
    } catch (error) {
      if (error instanceof OutOfMemory) {
        this.#trap = "out of memory";
        return "";
      }
      this.#trap = error instanceof RangeError ? "stack overflow" : "memory access out of bounds";
      if (error instanceof RangeError || isTrap(error)) return "";
      throw error;
    }
  }

  #enter(entry: EntryPoint, text: string | undefined): string {
    const functions = this.#functions;
    const callee = this.#entries.get(entry) as number;
    let values = 0;
    if (text !== undefined) {
      values = this.#module._malloc(4);
      const argument = this.#newString(text);
      new DataView(this.#module.HEAPU8.buffer).setUint32(values, argument, true);
    }
    const count = text === undefined ? 0 : 1;
    const result = functions.QTS_Call(this.#context, callee, this.#undefined, count, values);
    const answer = entry === "create" || entry === "result" ? this.#text(result) : "";
    functions.QTS_FreeValuePointer(this.#context, result);
    return answer;
  }

  /** Error text of a call that did not complete. */
  get failureText(): string {
    return `InternalError: ${this.#trap ?? "out of memory"}`;
  }

  get isDone(): boolean {
    return this.registers[Register.done] === 1;
  }

  #renewViews(): void {
    const heap = this.#module.HEAPU8;
    if (heap === this.#heap) return;
    this.#heap = heap;
    this.#registers = new Float64Array(heap.buffer, this.#shared, 16);
    this.#words = new BigUint64Array(heap.buffer, this.#shared + SHARED_WORDS, 4);
    this.#bytes = heap.subarray(this.#shared + SHARED_BYTES, this.#shared + SHARED_SIZE);
  }

  /** Answers a request of the script. @returns address of the value; 0 = `undefined` */
  #answer(count: number, values: number): number {
    const argument = () =>
      count > 0 ? this.#functions.QTS_ArgvGetJSValueConstPointer(values, 0) : this.#undefined;
    const answer = this.#host?.answer(
      this.registers[Register.what] as number,
      () => this.#buffer(argument()),
      () => this.#text(argument()),
    );
    if (answer === undefined) return 0;
    if (typeof answer === "string") return this.#newString(answer);
    return this.#functions.QTS_NewArrayBuffer(this.#context, this.#place(answer), answer.length);
  }

  /** Creates the globals of scripts. */
  #createGlobals(): Map<EntryPoint, number> {
    const functions = this.#functions;
    const context = this.#context;
    const outside = functions.QTS_NewFunction(context, "outside", 1, false, 1);
    const shared = functions.QTS_NewArrayBuffer(context, this.#shared, SHARED_SIZE);
    const bigInt = this.#evaluate(readTextWithin(assetPath("tracers/big-int.js"), LARGE_FILE));
    const furnish = this.#evaluate(readTextWithin(assetPath("tracers/objects.js"), LARGE_FILE));
    const values = this.#module._malloc(12);
    new Uint32Array(this.#module.HEAPU8.buffer, values, 3).set([outside, shared, bigInt]);
    const world = this.#checked(functions.QTS_Call(context, furnish, this.#undefined, 3, values));
    return new Map(
      ENTRIES.map((name) => [name, functions.QTS_GetProp(context, world, this.#newString(name))]),
    );
  }

  #evaluate(source: string): number {
    const bytes = new TextEncoder().encode(`${source}\0`);
    const code = this.#place(bytes);
    return this.#checked(
      this.#functions.QTS_Eval(this.#context, code, bytes.length - 1, "tracer", 0, EVAL_GLOBAL),
    );
  }

  #checked(value: number): number {
    const error = this.#functions.QTS_ResolveException(this.#context, value);
    if (error !== 0) throw new Error(`the globals of tracers do not load: ${this.#text(error)}`);
    return value;
  }

  #place(bytes: Uint8Array): number {
    const at = this.#module._malloc(bytes.length || 1);
    if (at === 0) throw new OutOfMemory();
    this.#module.HEAPU8.set(bytes, at);
    return at;
  }

  #newString(text: string): number {
    const at = this.#place(new TextEncoder().encode(`${text}\0`));
    const value = this.#functions.QTS_NewString(this.#context, at);
    this.#module._free(at);
    return value;
  }

  #text(value: number): string {
    const at = this.#functions.QTS_GetString(this.#context, value);
    const heap = this.#module.HEAPU8;
    const text = new TextDecoder().decode(heap.subarray(at, heap.indexOf(0, at)));
    this.#functions.QTS_FreeCString(this.#context, at);
    return text;
  }

  #buffer(value: number): Uint8Array {
    const length = this.#functions.QTS_GetArrayBufferLength(this.#context, value);
    const at = this.#functions.QTS_GetArrayBuffer(this.#context, value);
    if (at === 0 && length > 0) throw new OutOfMemory();
    if (at === 0) return new Uint8Array(0);
    const bytes = this.#module.HEAPU8.slice(at, at + length);
    this.#module._free(at);
    return bytes;
  }
}

/** An allocation in the engine's memory failed. */
class OutOfMemory extends Error {}

function withoutZeros(memory: Uint8Array): Uint8Array {
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end--;
  return memory.slice(0, end);
}
