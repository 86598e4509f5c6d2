// Where the event loop, an event or a promise enters the transports, found in their syntax trees, and a fault at each of them.
import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "@swc/core";
import type { Plugin } from "vitest/config";

/** The rooms of the main process that hold clients' connections. */
export const TRANSPORTS = ["src/platform/http", "src/api/rpc/transports"];
/** The room of the I/O processes, on both sides of the pipe. */
export const SOCKETS = ["src/platform/sockets"];
/** What calls the functions that it is given later. */
const LATER =
  /^(on|once|then|catch|finally|addEventListener|setTimeout|setInterval|setImmediate|nextTick|queueMicrotask|createServer|close|end|listen|add|write|send|later)$/;
/** Of these, what takes functions by their names, too: others take numbers and texts. */
const LATER_BY_NAME = /^(on|once|then|catch|finally|addEventListener)$/;

/** One entrance. */
export interface Site {
  /** File and beginning of the source text, numbered where a file has the same more than once. */
  readonly id: string;
  /**
   * `await`: the operand of an `await`; `promise`: what a guarded step waits for; `step`: what a guard runs; `bare`: a callback without
   * a guard.
   */
  readonly kind: "await" | "promise" | "step" | "bare";
  /** Place of the operand, step or callback in the source, in bytes. */
  readonly start: number;
  readonly end: number;
}

// biome-ignore lint/suspicious/noExplicitAny: nodes of a syntax tree, of every type
type Node = any;

/** All entrances of rooms. */
export function sitesIn(rooms: readonly string[]): readonly Site[] {
  return sourceFiles(rooms).flatMap((file) => sitesOf(file, readFileSync(file, "utf8")));
}

/** Makes every entrance but the bare ones call `atSite(kind and id, operand, step or promise)`, a global function of the test. */
export function faultSites(): Plugin {
  const files = sourceFiles([...TRANSPORTS, ...SOCKETS]);
  return {
    name: "fault-sites",
    enforce: "pre",
    transform(source, path) {
      const file = files.find((name) => path.endsWith(`/${name}`));
      return file && withFaults(file, source, ({ kind }) => kind !== "bare");
    },
  };
}

/** A source in which the wanted entrances call `atSite`. @param file - its path in the project */
export function withFaults(file: string, source: string, isWanted: (site: Site) => boolean): string {
  const sites = sitesOf(file, source).filter(isWanted);
  const marks = sites.flatMap(({ id, kind, start, end }) => [
    { at: start, text: `atSite(${JSON.stringify(`${kind} ${id}`)}, ` },
    { at: end, text: ")" },
  ]);
  // From the end on, so that places before stay as they are.
  let bytes = Buffer.from(source);
  for (const { at, text } of marks.sort((a, b) => b.at - a.at))
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at)]);
  return bytes.toString();
}

function sourceFiles(rooms: readonly string[]): string[] {
  return rooms
    .flatMap((room) =>
      readdirSync(room, { recursive: true })
        .map((name) => `${room}/${name}`)
        .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|\/testing\/|\/guard\.ts$/.test(name)),
    )
    .sort();
}

function sitesOf(file: string, source: string): readonly Site[] {
  // An empty statement in front gives the parser's base offset of this file.
  const tree: Node = parseSync(`;${source}`, { syntax: "typescript", target: "esnext" });
  const base = tree.body[0].span.start + 1;
  const bytes = Buffer.from(source);
  const counts = new Map<string, number>();
  const sites: Site[] = [];
  const add = (kind: Site["kind"], { span }: Node, { span: whole }: Node): void => {
    const text = bytes.toString("utf8", whole.start - base, whole.end - base);
    const id = `${file.split("/").at(-1)}: ${text.replace(/\s+/g, " ").slice(0, 100)}`;
    const count = (counts.get(`${kind} ${id}`) ?? 0) + 1;
    counts.set(`${kind} ${id}`, count);
    sites.push({
      ...{ id: count === 1 ? id : `${id} (${count})`, kind },
      ...{ start: span.start - base, end: span.end - base },
    });
  };
  const members = new Map<string, Node>();
  walk(tree, (node) => {
    if (/^(Class|Private)Property$/.test(node.type)) members.set(keyOf(node.key), node.value);
  });
  walk(tree.body.slice(1), (node) => {
    if (node.type === "AwaitExpression") add("await", node.argument, node.argument);
    if (node.type !== "CallExpression") return;
    const args: Node[] = node.arguments.map(({ expression }: Node) => expression);
    const name = nameOf(node.callee);
    if (isGuard(node.callee)) add("step", args[0], node);
    else if (name === "continueWith") {
      add("promise", args[0], node);
      add("step", args[2], node);
    } else if (LATER.test(name))
      for (const callback of args)
        if (isFunction(callback, LATER_BY_NAME.test(name), members) && !isGuarded(callback, members))
          add("bare", callback, {
            span: { start: node.callee.property?.span.start ?? node.span.start, end: node.span.end },
          });
  });
  return sites;
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit);
    return;
  }
  if (node === null || typeof node !== "object") return;
  if (node.type !== undefined) visit(node);
  for (const key in node) if (key !== "span") walk(node[key], visit);
}

/** `guard(…)`, `this.#guard(…)`, `this.#conversation.guard(…)`, `createGuard(…)(…)`. */
function isGuard(callee: Node): boolean {
  const isMade = callee.type === "CallExpression" && nameOf(callee.callee) === "createGuard";
  return isMade || nameOf(callee) === "guard";
}

/** Whether a guarded step is all that a callback is, or the member that it names. */
function isGuarded(callback: Node, members: ReadonlyMap<string, Node>): boolean {
  const called = callback.type === "MemberExpression" ? members.get(keyOf(callback.property)) : callback;
  return called?.body?.type === "CallExpression" && isGuard(called.body.callee);
}

function isFunction({ type, property }: Node, byName: boolean, members: ReadonlyMap<string, Node>): boolean {
  if (type === "MemberExpression")
    return property.type === "PrivateName" && members.get(keyOf(property))?.type !== "NumericLiteral";
  return type === "ArrowFunctionExpression" || (byName && type === "Identifier");
}

function nameOf(callee: Node): string {
  return callee.value ?? (callee.property === undefined ? "" : keyOf(callee.property));
}

function keyOf(key: Node): string {
  return key.id?.value ?? key.value ?? "";
}
