import { concat } from "../../primitives/bytes.ts";
import { FUNCTION, I32, leb, MODULE_HEADER, SECTION, section, text, vector } from "../../wasm/code.ts";
import { addPoints, toAffine } from "./batches.ts";
import { gatherComb, gatherKnown, gatherWindows, lift, markOnCurve, turnMultiples } from "./groups.ts";
import { LaneWriter } from "./lane-writer.ts";
import { PAGES } from "./layout.ts";
import { addTo, addWithInverse, double, ladder, slopeDenominator } from "./points.ts";
import { invert, power223, squareOften, squareRoot } from "./powers.ts";
import { multiplyColumns, squareColumns } from "./products.ts";
import { canonical, reduce } from "./reduction.ts";

/** A function of the module. */
export interface LaneFunction {
  readonly parameters: number;
  readonly write: (f: LaneWriter) => void;
}

const define = (parameters: number, write: (f: LaneWriter) => void): LaneFunction => ({ parameters, write });

/** All functions, by name. Their parameters are i32, and none has a result. */
export const FUNCTIONS: Readonly<Record<string, LaneFunction>> = {
  multiplyColumns: define(2, (f) => multiplyColumns(f, false)),
  addMultiplyColumns: define(2, (f) => multiplyColumns(f, true)),
  squareColumns: define(2, (f) => squareColumns(f, false)),
  addSquareColumns: define(2, (f) => squareColumns(f, true)),
  reduce: define(1, (f) => reduce(f, false)),
  reducePlus: define(2, (f) => reduce(f, true)),
  canonical: define(2, canonical),
  squareOften: define(2, squareOften),
  power223: define(1, power223),
  squareRoot: define(2, squareRoot),
  invert: define(2, invert),
  double: define(1, double),
  addTo: define(2, addTo),
  slopeDenominator: define(3, slopeDenominator),
  addWithInverse: define(4, addWithInverse),
  ladder: define(3, ladder),
  addPoints: define(5, addPoints),
  toAffine: define(3, toAffine),
  lift: define(1, lift),
  markOnCurve: define(1, markOnCurve),
  turnMultiples: define(1, turnMultiples),
  gatherWindows: define(1, gatherWindows),
  gatherKnown: define(1, gatherKnown),
  gatherComb: define(1, gatherComb),
};

/** The module's bytes: it exports its `memory` and every function. */
export function recoveryModule(functions = FUNCTIONS): Uint8Array {
  const names = Object.keys(functions);
  const definitions = Object.values(functions);
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index < 0) throw new Error(`no function ${name}`);
    return index;
  };
  const bodies = definitions.map(({ parameters, write }) => {
    const f = new LaneWriter(parameters, indexOf);
    write(f);
    return f.body();
  });
  const types = definitions.map(({ parameters }) => [FUNCTION, ...vector(Array(parameters).fill(I32)), 0]);
  const count = leb(names.length);
  const exported = names.flatMap((name, index) => [...text(name), 0, ...leb(index)]);
  const head = [
    ...MODULE_HEADER,
    ...section(SECTION.types, [...count, ...types.flat()]),
    ...section(SECTION.functions, [...count, ...names.flatMap((_, index) => leb(index))]),
    ...section(SECTION.memory, [1, 0, ...leb(PAGES)]),
    ...section(SECTION.exports, [...leb(names.length + 1), ...text("memory"), 2, 0, ...exported]),
  ];
  const code = concat(Uint8Array.from(count), ...bodies);
  return concat(Uint8Array.from([...head, SECTION.code, ...leb(code.length)]), code);
}
