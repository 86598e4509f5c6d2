// Mutation tests: changes one thing at a time in the files named and asks the tests beside them whether they notice.
//   npm run test:mutants -- src/cli src/ledger/execution/transaction/transaction.ts [--max 100] [--tests src/cli]
// A mutant survives when every test still passes. Files are changed in place and put back; commit before a run.
import { fork } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseSync } from "@swc/core";

const here = fileURLToPath(import.meta.url);
/** A mutant that keeps the tests busy for longer counts as caught: it loops. */
const PATIENCE_MS = 180_000;
const SWAPS = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" },
  ...{
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "&&": "||",
    "||": "&&",
    "&": "|",
    "|": "&",
    "<<": ">>",
    ">>": "<<",
  },
};

/** All mutants of one source text: `{ start, end, text, what }` in bytes. */
export function mutantsOf(source) {
  // An empty statement in front gives the offset at which the parser counts this file.
  const tree = parseSync(`;${source}`, { syntax: "typescript", target: "esnext" });
  const base = tree.body[0].span.start + 1;
  const bytes = Buffer.from(source);
  const textOf = ({ span }) => bytes.toString("utf8", span.start - base, span.end - base);
  const found = [];
  const add = ({ span }, text, what) =>
    found.push({ start: span.start - base, end: span.end - base, text, what });
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== "object") return;
    if (isType(node)) return;
    mutate(node, textOf, add);
    for (const key in node) if (key !== "span") visit(node[key]?.expression ?? node[key]);
  };
  visit(tree.body.filter(({ type }) => type !== "ImportDeclaration").slice(1));
  return found.map((mutant) => ({ ...mutant, was: bytes.toString("utf8", mutant.start, mutant.end) }));
}

function isType({ type }) {
  if (typeof type !== "string" || !type.startsWith("Ts")) return false;
  return !["TsAsExpression", "TsNonNullExpression", "TsConstAssertion", "TsSatisfiesExpression"].includes(
    type,
  );
}

function mutate(node, textOf, add) {
  switch (node.type) {
    case "NumericLiteral":
      return add(node, `${node.value + 1}`, "constant");
    case "BigIntLiteral":
      return add(node, `(${textOf(node)} + 1n)`, "constant");
    case "BooleanLiteral":
      return add(node, `${!node.value}`, "constant");
    case "BinaryExpression": {
      const other = SWAPS[node.operator];
      if (other === undefined || node.left.type === "StringLiteral" || node.right.type === "StringLiteral")
        break;
      return add(node, `(${textOf(node.left)}) ${other} (${textOf(node.right)})`, "operator");
    }
    case "IfStatement":
    case "ConditionalExpression":
      return add(node.test, `!(${textOf(node.test)})`, "condition");
    case "CallExpression":
    case "NewExpression": {
      const [first, second] = (node.arguments ?? []).map(({ expression }) => expression);
      if (second === undefined || textOf(first) === textOf(second)) break;
      const between = { span: { start: first.span.start, end: second.span.end } };
      return add(between, `${textOf(second)}, ${textOf(first)}`, "arguments");
    }
    case "ExpressionStatement":
      return add(node, ";", "dropped line");
  }
}

function sourcesIn(path) {
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`);
  return names
    .filter((name) => /\.ts$/.test(name) && !/\.(test|test-d|bench|d)\.ts$|\/testing\//.test(name))
    .sort();
}

/** The tests of a file's folder, and of those above it up to `src/FLOOR/ROOM`. */
function testsNear(path) {
  const found = [];
  for (
    let folder = dirname(path);
    folder.split("/").length > 2 || found.length === 0;
    folder = dirname(folder)
  ) {
    if (folder === "src" || folder === ".") throw new Error(`no tests near ${path}: name some with --tests`);
    const tests = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
    found.push(...tests.map((name) => `${folder}/${name}`));
  }
  return found;
}

/** A child that holds one Vitest and runs the tests again for each mutant it is told of. */
async function serve() {
  const { createVitest } = await import("vitest/node");
  // isolated: no run may see a module of the run before
  const options = { watch: false, isolate: true, reporters: [{}], project: ["unit", "alone"] };
  const vitest = await createVitest("test", options);
  await vitest.standalone?.();
  const specifications = new Map();
  // the file of the run before, which has been put back
  let last;
  process.on("message", async ({ file, filters }) => {
    const key = filters.join(" ");
    if (!specifications.has(key)) specifications.set(key, await vitest.globTestSpecifications(filters));
    for (const changed of new Set([file, last ?? file])) vitest.invalidateFile(resolve(changed));
    last = file;
    vitest.state.filesMap.clear();
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      specifications.get(key),
      true,
    );
    const failed = unhandledErrors.length > 0 || testModules.some((module) => !module.ok());
    process.send({ failed, count: testModules.length });
  });
  process.send({ ready: true });
}

class Runner {
  #child;

  async passes(file, filters) {
    if (this.#child === undefined) {
      this.#child = fork(here, ["--serve"], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        detached: true,
      });
      await this.#reply();
    }
    this.#child.send({ file, filters });
    const reply = await this.#reply();
    if (reply === undefined) this.stop();
    else if (reply.count === 0) throw new Error(`no tests under ${filters.join(", ")}`);
    return reply !== undefined && !reply.failed;
  }

  #reply() {
    const child = this.#child;
    return new Promise((done) => {
      const end = (reply) => {
        clearTimeout(timer);
        child.removeAllListeners();
        done(reply);
      };
      const timer = setTimeout(end, PATIENCE_MS, undefined);
      child.once("message", end).once("exit", () => end(undefined));
    });
  }

  stop() {
    if (this.#child?.exitCode === null) process.kill(-this.#child.pid, "SIGKILL");
    this.#child = undefined;
  }
}

/** So many of a list, spread evenly over it. */
function spread(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { max: { type: "string", default: "100" }, tests: { type: "string", multiple: true } },
  });
  const all = positionals.flatMap(sourcesIn).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    return mutantsOf(source).map((mutant) => ({ ...mutant, file, source }));
  });
  const mutants = spread(all, Number(values.max));
  const runner = new Runner();
  let original;
  const restore = () => original && writeFileSync(original.file, original.source);
  process.on("SIGINT", () => {
    restore();
    runner.stop();
    process.exit(130);
  });
  const survivors = [];
  for (const [index, mutant] of mutants.entries()) {
    const { file, source, start, end, text } = mutant;
    const filters = values.tests ?? testsNear(file);
    const bytes = Buffer.from(source);
    original = mutant;
    writeFileSync(file, Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]));
    try {
      if (await runner.passes(file, filters)) survivors.push(mutant);
    } finally {
      restore();
    }
    process.stderr.write(`\r${index + 1}/${mutants.length}, ${survivors.length} survived `);
  }
  runner.stop();
  for (const { file, source, start, was, text, what } of survivors) {
    const line = Buffer.from(source).toString("utf8", 0, start).split("\n").length;
    const short = (code) => code.replace(/\s+/g, " ").slice(0, 60);
    console.log(`${file}:${line}  ${what}: ${short(was)}  →  ${short(text)}`);
  }
  const caught = mutants.length - survivors.length;
  console.log(
    `${caught} of ${mutants.length} mutants caught (${Math.round((100 * caught) / mutants.length)} %)`,
  );
}

await (process.argv[2] === "--serve" ? serve() : main());
