import { resolve } from "node:path";
import { LARGE_FILE, readTextWithin } from "../../../platform/intake/read-file.ts";
import { nearest } from "../../../protocol/primitives/nearest.ts";
import { visible } from "../../../protocol/primitives/visible.ts";
import type { Bridge, EvaluationOutcome } from "../bridge.ts";
import type { MethodCatalogue } from "../methods/catalogue.ts";
import { addHelpers } from "../methods/helpers.ts";
import { createNamespaces } from "../methods/namespaces.ts";
import { compile } from "../terminal/compile.ts";
import { addBigNumberMethods } from "./big-number.ts";
import { type Completions, complete } from "./complete.ts";
import { explain, hintLine } from "./explain.ts";
import { HelpText, helpText } from "./help.ts";
import { render } from "./render.ts";

/** What a sandbox is built from. */
export interface SandboxParts {
  readonly catalogue: MethodCatalogue;
  readonly bridge: Bridge;
  readonly colors: boolean;
  /** Folder against which `loadScript` resolves names. */
  readonly scriptFolder: string;
  /** Called when the result is a promise, before it is awaited. */
  readonly onAwait?: () => void;
  /** Rejects when the user no longer waits for a promise. */
  readonly abandoned?: () => Promise<never>;
}

/** Evaluates JavaScript with the modules of a node in this thread. */
export interface Sandbox {
  /** @param file - name of the script that the source comes from; its value is not shown */
  evaluate(source: string, file?: string): Promise<EvaluationOutcome>;
  complete(line: string): Completions;
}

/** Creates the sandbox of this thread: the modules become globals. */
export function createSandbox(parts: SandboxParts): Sandbox {
  const { catalogue, bridge, colors } = parts;
  const before = new Set(Object.getOwnPropertyNames(globalThis));
  const spaces = createNamespaces(catalogue, bridge);
  addHelpers(spaces, bridge);
  addBigNumberMethods(BigInt.prototype);
  const help = (subject?: unknown) => new HelpText(helpText(catalogue, spaces, subject));
  const loadScript = (path: string): boolean => {
    const file = resolve(parts.scriptFolder, path);
    compile(readTextWithin(file, LARGE_FILE), file).runInThisContext();
    return true;
  };
  const print = (...values: unknown[]): void => bridge.print(`${printed(values, colors)}\n`);
  const log = { log: print, info: print, warn: print, error: print, debug: print };
  // A module never shadows a name of the language.
  const modules = Object.entries(spaces).filter(([name]) => !before.has(name));
  const names = { ...Object.fromEntries(modules), help, loadScript, console: log };
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });

  async function evaluate(source: string, file?: string): Promise<EvaluationOutcome> {
    try {
      let value: unknown = compile(source, file).runInThisContext();
      if (value instanceof Promise) {
        parts.onAwait?.();
        value = await Promise.race([value, ...(parts.abandoned ? [parts.abandoned()] : [])]);
      }
      if (value === help) value = help();
      const meant = value === undefined && file === undefined ? suggestionFor(source) : undefined;
      return {
        text: value instanceof HelpText ? visible(value.text) : render(value, { colors }),
        failed: false,
        ...(meant !== undefined && { hint: hintLine(`did you mean ${meant}?`, colors) }),
      };
    } catch (error) {
      return { text: explain(error, { colors, suggest, ...(file !== undefined && { file }) }), failed: true };
    }
  }
  const isAdded = (name: string) => !before.has(name) || name in names;
  const completed = (line: string): Completions =>
    complete(line, ownNames(Object.getOwnPropertyNames(globalThis).filter(isAdded)));
  /** The name closest to an unknown one, among the candidates in its place. */
  function suggest(name: string): string | undefined {
    return nearest(name, completed(name.slice(0, name.lastIndexOf(".") + 1)).names);
  }
  /** A suggestion for a path of names without a value, such as `eth.blockNumbr`; undefined if its last name is known. */
  function suggestionFor(source: string): string | undefined {
    const path = source.trim();
    const at = path.lastIndexOf(".") + 1;
    if (at === 0 || !/^[\w$.]+$/.test(path)) return undefined;
    const name = path.slice(at);
    const known = completed(path.slice(0, at)).names.map((whole) => whole.slice(at));
    const meant = known.includes(name) ? undefined : nearest(name, known);
    return meant && path.slice(0, at) + meant;
  }
  return { evaluate, complete: completed };
}

function ownNames(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, (globalThis as Record<string, unknown>)[name]]));
}

function printed(values: readonly unknown[], colors: boolean): string {
  return values
    .map((value) => (typeof value === "string" ? visible(value) : render(value, { colors })))
    .join(" ");
}
