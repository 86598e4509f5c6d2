import { parseSync } from "@swc/core";
import { isSafePattern } from "redos-detector";

/** Maximum number of ways to match one prefix of a text; a number that grows with the text exceeds it eventually. */
const MAX_SCORE = 60;
/** Methods of strings that make a regular expression of their argument; one that is made elsewhere is an exception to be counted. */
const MATCHERS = new Set(["match", "matchAll", "search"]);

/**
 * The regular expressions of a TypeScript source: how many there are, and descriptions of those that can be made to backtrack or whose
 * pattern is not known before the program runs.
 */
export function judgeRegexes(source, { tsx = false } = {}) {
  let seen = 0;
  const unsafe = [];
  for (const { pattern, flags } of regexesOf(
    parseSync(source, { syntax: "typescript", tsx, target: "es2022" }),
  )) {
    seen++;
    if (pattern === undefined) unsafe.push("a regular expression made at run time, which cannot be judged");
    else if (!isSafe(pattern, flags))
      unsafe.push(`/${pattern}/${flags} can be made to backtrack; scan by index instead`);
  }
  return { seen, unsafe };
}

/**
 * Regular expression literals, and texts that become regular expressions: without a pattern unless they are literals. Every other use of
 * the name RegExp may make one too.
 */
function* regexesOf(node) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) return yield* partsOf(node);
  if (isType(node)) return;
  if (node.type === "RegExpLiteral") return yield { pattern: node.pattern, flags: node.flags };
  if (node.type === "NewExpression" || node.type === "CallExpression") {
    const [first, second] = (node.arguments ?? []).map(({ expression }) => expression);
    if (isName(node.callee, "RegExp")) {
      yield { pattern: literal(first), flags: second === undefined ? "" : (literal(second) ?? "") };
      return yield* partsOf(node.arguments ?? []);
    }
    if (
      MATCHERS.has(nameOfMember(node.callee)) &&
      node.arguments.length === 1 &&
      first.type !== "RegExpLiteral"
    ) {
      yield { pattern: literal(first), flags: "" };
      return yield* regexesOf(node.callee);
    }
  }
  if (isName(node, "RegExp")) return yield {};
  if (node.type === "BinaryExpression" && node.operator === "instanceof") return yield* regexesOf(node.left);
  if (node.type === "MemberExpression") {
    if (nameOfMember(node) === "RegExp") yield {};
    yield* regexesOf(node.object);
    return yield* node.property.type === "Computed" ? regexesOf(node.property.expression) : [];
  }
  yield* partsOf(node);
}

function* partsOf(node) {
  for (const value of Object.values(node)) yield* regexesOf(value);
}

function isType({ type }) {
  return type === "TsTypeAnnotation" || type === "TsTypeReference" || type === "TsTypeParameterInstantiation";
}

function isName(node, name) {
  return node?.type === "Identifier" && node.value === name;
}

/** The name of the member that an expression selects, `text.match` and `text["match"]` alike. */
function nameOfMember(node) {
  const member = node?.type === "OptionalChainingExpression" ? node.base : node;
  if (member?.type !== "MemberExpression") return undefined;
  const { property } = member;
  return property.type === "Computed" ? literal(property.expression) : property.value;
}

/** The text of a literal, a template without parts included. */
function literal(node) {
  if (node?.type === "StringLiteral") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0].cooked;
  return undefined;
}

function isSafe(pattern, flags) {
  const has = (flag) => flags.includes(flag);
  const { safe } = isSafePattern(pattern, {
    ...{ caseInsensitive: has("i"), unicode: has("u"), multiLine: has("m"), dotAll: has("s") },
    ...{ maxScore: MAX_SCORE, maxSteps: 20_000, downgradePattern: true },
  });
  return safe;
}
