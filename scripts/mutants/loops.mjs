import { parseSync } from "@swc/core";

/** Message of the error that breaks an endless loop. */
export const LOOPS = "the mutant loops";
const LOOPING = new Set([
  ...["ForStatement", "ForOfStatement", "ForInStatement"],
  ...["WhileStatement", "DoWhileStatement"],
]);
const CALL = "globalThis.countMutantLoop();";

/** Adds a call of the counter set by `first-failure.mjs` to every loop of a source text. */
export function withCountedLoops(source) {
  const tree = parseSync(`;${source}`, { syntax: "typescript", target: "esnext" });
  const base = tree.body[0].span.start + 1;
  const bytes = Buffer.from(source);
  const inserted = [];
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== "object") return;
    if (LOOPING.has(node.type)) {
      const { type, span } = node.body;
      if (type === "BlockStatement") inserted.push([span.start - base + 1, CALL]);
      else inserted.push([span.start - base, `{${CALL} `], [span.end - base, "}"]);
    }
    for (const key in node) if (key !== "span") visit(node[key]);
  };
  visit(tree.body.slice(1));
  const parts = [];
  let at = 0;
  for (const [place, text] of inserted.sort(([a], [b]) => a - b)) {
    parts.push(bytes.subarray(at, place), Buffer.from(text));
    at = place;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]).toString();
}
