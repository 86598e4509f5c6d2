import { createEvm } from "../../../src/ledger/evm/engine/create-evm.ts";
import type { Evm } from "../../../src/ledger/evm/evm.ts";
import { precompiles } from "../../../src/ledger/evm/precompiles/index.ts";
import { compilerOfSuite } from "../engine-parts.ts";

let engine: Evm | undefined;

/** The engine that every case runs on. */
export function testEvm(): Evm {
  engine ??= createEvm({ precompiles, now: Date.now, compiler: compilerOfSuite() });
  return engine;
}
