import type { ArtifactLibrary } from "../../../api/artifacts/artifact-library.ts";
import type { ArtifactContract } from "../../../api/artifacts/contracts.ts";
import { type Names, namesOf } from "../../../api/artifacts/names.ts";
import { stackTrace } from "../../../api/artifacts/stack-trace.ts";
import { readTrace } from "../../../api/artifacts/trace-frame.ts";
import { contractsOfTrace } from "../../../api/artifacts/traced-contracts.ts";
import { toErrorObject } from "../../../api/rpc/engine/errors.ts";
import type { BoundMethod } from "../../../api/rpc/engine/registry.ts";
import type { CallInterceptor } from "../../../api/rpc/engine/server-options.ts";
import type { Provider } from "../../../api/rpc/transports/provider.ts";
import { CallError } from "../../../ledger/execution/errors.ts";
import { completed, MissingState } from "../../../ledger/state/missing-state.ts";
import type { StateReader } from "../../../ledger/state/state.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { ExplainedError, explainedData } from "./explained-error.ts";
import { runsMessage } from "./running-methods.ts";
import { TimeAllowance } from "./time-allowance.ts";

/** Dependencies of source traces. */
export interface SourceTraceParts {
  readonly library: ArtifactLibrary;
  /** The newest state. */
  readonly state: () => StateReader;
  /** Whether responses carry the source location of a failed call. */
  readonly inErrors: boolean;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** Failures for which the source location is looked up. */
const FAILURES: ReadonlySet<string> = new Set(["REVERTED", "REVERTED_BARE", "CALL_FAILED"]);
const TRACER = { tracer: "executionTracer" };

/** Names contracts, calls and events by compiler artifacts, and finds the source location of failures. */
export class SourceTraces {
  readonly #parts: SourceTraceParts;
  readonly #allowance: TimeAllowance;
  readonly names: Names;
  #request: Provider["request"] | undefined;
  /** The wrapper of the interceptor seen last. */
  #around: { readonly inner: CallInterceptor | undefined; readonly outer: CallInterceptor } | undefined;

  constructor(parts: SourceTraceParts) {
    this.#parts = parts;
    this.#allowance = new TimeAllowance(parts.now);
    this.names = namesOf(
      () => parts.library.contracts,
      (address) => this.#contractAt(address),
    );
  }

  /** Obtains traces through the node's own methods. @param request - calls that are not reported to watchers */
  connect(request: Provider["request"]): void {
    this.#request = request;
  }

  /** Reloads artifacts that compilers have written since. */
  refresh(): Promise<void> {
    return this.#parts.library.refresh();
  }

  /** The contract at an address now, if an artifact describes it. */
  contract(address: Uint8Array): ArtifactContract | undefined {
    return this.#contractAt(address);
  }

  /** Source locations of a transaction's failure; empty if unknown, or if traces have taken too much time lately. */
  async stackTrace(hash: Hash): Promise<readonly string[]> {
    await this.refresh();
    return this.#traced("debug_traceTransaction", [bytesToHex(hash), TRACER]);
  }

  /**
   * Wraps the RPC methods that execute a message: one that fails is executed again to find out where.
   * @param inner - the interceptor already in place
   * @returns `inner` for every other method
   */
  around(inner: CallInterceptor | undefined, bound: BoundMethod | undefined): CallInterceptor | undefined {
    if (bound === undefined || !runsMessage(bound.declaration)) return inner;
    if (this.#around?.inner !== inner || this.#around === undefined)
      this.#around = { inner, outer: this.#explaining(inner) };
    return this.#around.outer;
  }

  #explaining(inner: CallInterceptor | undefined): CallInterceptor {
    const answer: CallInterceptor = inner ?? ((_name, _params, own) => completed(own, undefined));
    return (name, params, own, bound) => {
      try {
        const result = answer(name, params, own, bound);
        return result instanceof Promise ? result.catch((error) => this.#explain(error, params)) : result;
      } catch (error) {
        if (!isFailure(error)) throw error;
        return this.#explain(error, params);
      }
    };
  }

  async #explain(error: unknown, params: Json | undefined): Promise<never> {
    if (!isFailure(error) || !Array.isArray(params)) throw error;
    const [call, block, overrides] = params;
    if (call === undefined || (overrides ?? null) !== null) throw error;
    await this.refresh();
    const trace = await this.#traced("debug_traceCall", [call, block ?? "latest", TRACER]);
    if (trace.length === 0) throw error;
    const { code, message, data } = toErrorObject(error);
    const explanation = { trace, output: typeof data === "string" ? data : undefined };
    const shown = this.#parts.inErrors ? explainedData(message, explanation) : data;
    throw new ExplainedError(code, message, shown, explanation);
  }

  async #traced(method: string, params: readonly unknown[]): Promise<readonly string[]> {
    const request = this.#request;
    const { contracts } = this.#parts.library;
    if (request === undefined || contracts.count === 0 || !this.#allowance.isLeft) return [];
    const end = this.#allowance.begin();
    try {
      const root = readTrace(await request({ method, params }));
      const codeAt = async (address: Uint8Array) =>
        hexToBytes(
          (await request({ method: "eth_getCode", params: [bytesToHex(address), "latest"] })) as string,
        );
      return stackTrace(root, await contractsOfTrace(root, contracts, codeAt));
    } catch {
      return []; // the failure itself has been reported; that it cannot be traced, for instance on a pruned state, adds nothing
    } finally {
      end();
    }
  }

  #contractAt(address: Uint8Array): ArtifactContract | undefined {
    const { contracts } = this.#parts.library;
    if (contracts.count === 0) return undefined;
    try {
      const state = this.#parts.state();
      const account = state.account(address);
      if (account === undefined || !("codeHash" in account)) return undefined;
      return contracts.withCodeHash(account.codeHash, () => state.code(account.codeHash));
    } catch (error) {
      if (error instanceof MissingState) return undefined; // of another chain, not read yet
      throw error;
    }
  }
}

function isFailure(error: unknown): error is CallError {
  return error instanceof CallError && FAILURES.has(error.code);
}
