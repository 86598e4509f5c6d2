import { kaiaRuleSet } from "../../../src/ledger/evm/tables/kaia-rules.ts";
import { computationLimitAt } from "../../../src/ledger/execution/environment.ts";
import { FORKS, type Fork } from "../../../src/protocol/params/forks.ts";
import { rulesOfLevel } from "../../../src/protocol/params/rules.ts";
import { same, type VectorCase } from "./vector-case.ts";

const STACK_LIMIT = 1024;

interface Published {
  readonly name: string;
  readonly constantGas: number;
  readonly computationCost: number;
  readonly minStack: number;
  readonly maxStack: number;
}

/** opcodes.json: gas, computation cost and stack limits of every opcode at each fork that changes some. */
export function* opcodes({
  tables,
  limits,
}: {
  tables: Record<string, Record<string, Published>>;
  limits: Record<string, number>;
}): Iterable<VectorCase> {
  for (const [fork, table] of Object.entries(tables)) {
    yield { name: fork, run: () => checkTable(fork, table) };
  }
  yield {
    name: "limits",
    run() {
      const at = (fork: string) => computationLimitAt(rulesOfLevel(1n, levelOf(fork)));
      same(at("shanghai"), limits["computationCostLimit"], "limit before cancun");
      same(at("cancun"), limits["computationCostLimitFromCancun"], "limit from cancun");
    },
  };
}

function checkTable(fork: string, table: Record<string, Published>): void {
  const { opcodes: ours } = kaiaRuleSet(rulesOfLevel(1n, levelOf(fork)));
  for (let code = 0; code < 256; code++) {
    const key = `0x${code.toString(16).padStart(2, "0")}`;
    const opcode = ours[code];
    const have = opcode && {
      name: opcode.name,
      constantGas: opcode.gas,
      computationCost: opcode.computation,
      minStack: opcode.pops,
      maxStack: STACK_LIMIT + opcode.pops - opcode.pushes,
    };
    const { hasDynamicGas: _, ...want } = (table[key] ?? {}) as Published & { hasDynamicGas?: boolean };
    same(have, table[key] && want, `${fork}.${key}`);
  }
}

function levelOf(fork: string): number {
  return fork === "preIstanbul" ? 0 : FORKS.indexOf(fork as Fork) + 1;
}
