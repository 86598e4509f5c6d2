import { NETWORK_CHAIN_NAMES } from "../../rpc/spec/chain-names.ts";
import {
  type ConsoleMethod,
  type ConsoleParameter,
  isGetter,
  type MethodCatalogue,
} from "../methods/catalogue.ts";
import type { MethodFunction, Namespace } from "../methods/namespaces.ts";

/** Width of the column of modules: the longest is `chain, kaia, klay`. */
const MODULE_WIDTH = 20;

/** The text of `help`, printed as it is. */
export class HelpText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Lines about the console itself. */
const OVERVIEW_END = `help("eth") lists a module, help("eth.getBalance") explains a method; Tab completes a name.
A secret that is omitted or null is prompted for without echo.
eth and the chain module have toPeb, fromPeb, toKei and fromKei; admin has sleep and sleepBlocks.
loadScript("file.js") runs a file. Ctrl-C interrupts, Ctrl-D or exit quits.`;

/**
 * The text of `help`, from the declarations alone.
 * @param subject - nothing, a module, a method, or the name of either
 */
export function helpText(
  catalogue: MethodCatalogue,
  spaces: Readonly<Record<string, Namespace>>,
  subject?: unknown,
): string {
  if (subject === undefined) return overview(catalogue, spaces);
  if (typeof subject === "function") {
    const { method } = subject as Partial<MethodFunction>;
    return method === undefined ? `no help for ${subject.name}` : methodHelp(method);
  }
  const name = typeof subject === "string" ? subject : nameOf(spaces, subject);
  const [module = "", member] = (name ?? "").split(/[._]/);
  if (member === undefined) return moduleHelp(catalogue, module);
  const found = methodNamed(catalogue, spaces, module, member);
  return found === undefined ? `no help for ${name}` : methodHelp(found);
}

function nameOf(spaces: Readonly<Record<string, Namespace>>, subject: unknown): string | undefined {
  return Object.keys(spaces).find((name) => spaces[name] === subject);
}

function methodNamed(
  { methods }: MethodCatalogue,
  spaces: Readonly<Record<string, Namespace>>,
  module: string,
  member: string,
): ConsoleMethod | undefined {
  const declared = methods.get(`${module}_${member}`) ?? methods.get(`${sibling(module)}_${member}`);
  if (declared !== undefined || isGetter(module, member)) return declared;
  const shortcut = (spaces[module]?.[member] as Partial<MethodFunction> | undefined)?.method;
  return shortcut !== undefined && methods.has(shortcut.name) ? shortcut : undefined;
}

/** The other network name of the chain module: `klay` for `kaia`, and the reverse. */
function sibling(module: string): string {
  const names: readonly string[] = NETWORK_CHAIN_NAMES;
  return (names.includes(module) && names.find((name) => name !== module)) || module;
}

function overview({ methods }: MethodCatalogue, spaces: Readonly<Record<string, Namespace>>): string {
  const groups = new Map<Namespace, string[]>();
  for (const [name, space] of Object.entries(spaces).sort())
    groups.set(space, [...(groups.get(space) ?? []), name]);
  const lines = [...groups.values()].map((names) => {
    const isOwn = (method: string) => names.some((name) => method.startsWith(`${name}_`));
    const own = [...methods.keys()].filter(isOwn).map((method) => method.slice(method.indexOf("_")));
    const count = new Set(own).size;
    return `  ${names.join(", ").padEnd(MODULE_WIDTH)}${count === 0 ? "" : `${count} methods`}`.trimEnd();
  });
  return `Modules:\n${lines.join("\n")}\n\n${OVERVIEW_END}`;
}

function moduleHelp({ methods }: MethodCatalogue, module: string): string {
  const all = [...methods.values()];
  const own = all.filter(({ name }) => name.startsWith(`${module}_`));
  const shown = own.length > 0 ? own : all.filter(({ name }) => name.startsWith(`${sibling(module)}_`));
  if (shown.length === 0) return `no help for ${module}`;
  const lines = shown
    .map((method) => `  ${signature(method)}\n      ${method.summary}`)
    .sort((a, b) => (a < b ? -1 : 1));
  return lines.join("\n");
}

function methodHelp(method: ConsoleMethod): string {
  const { summary, params, result } = method;
  const lines = params.map((one) => `  ${one.name.padEnd(14)}${one.title}: ${one.doc}${remark(one)}`);
  return [signature(method), summary, ...lines, `  returns       ${result.title}`].join("\n");
}

function signature({ name, params }: ConsoleMethod): string {
  const at = name.indexOf("_");
  const [module, member] = [name.slice(0, at), name.slice(at + 1)];
  if (isGetter(module, member)) return `${module}.${member}`;
  return `${module}.${member}(${params.map((one) => (isOmittable(one) ? `[${one.name}]` : one.name)).join(", ")})`;
}

function isOmittable({ optional, absent, secret }: ConsoleParameter): boolean {
  return optional || absent !== undefined || secret !== undefined;
}

function remark({ optional, absent, secret }: ConsoleParameter): string {
  if (secret === "askTwice") return " Prompted for twice if omitted.";
  if (secret === "ask" && !optional) return " Prompted for if omitted.";
  if (absent !== undefined) return ` Default: ${absent}.`;
  return optional ? " Optional." : "";
}
