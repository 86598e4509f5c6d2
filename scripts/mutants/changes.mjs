import { parseSync } from "@swc/core";

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

/** All mutants of one source text: `{ start, end, text, what, was, changed }`, places in bytes; `changed` is the whole text. */
export function mutantsOf(source) {
  // An empty statement in front gives the parser's base offset of this file.
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
    for (const key in node) if (key !== "span") visit(node[key]);
  };
  visit(tree.body.filter(({ type }) => type !== "ImportDeclaration").slice(1));
  return found
    .map((mutant) => ({
      ...mutant,
      was: bytes.toString("utf8", mutant.start, mutant.end),
      changed: Buffer.concat([
        bytes.subarray(0, mutant.start),
        Buffer.from(mutant.text),
        bytes.subarray(mutant.end),
      ]).toString(),
    }))
    .filter(({ changed }) => parses(changed));
}

function parses(source) {
  try {
    parseSync(source, { syntax: "typescript", target: "esnext" });
    return true;
  } catch {
    return false;
  }
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
      const args = (node.arguments ?? []).slice(0, 2);
      const [first, second] = args.map(({ expression }) => expression);
      if (second === undefined || args.some(({ spread }) => spread)) break;
      if (textOf(first) === textOf(second)) break;
      const between = { span: { start: first.span.start, end: second.span.end } };
      return add(between, `${textOf(second)}, ${textOf(first)}`, "arguments");
    }
    case "ExpressionStatement":
      return add(node, ";", "dropped line");
  }
}
