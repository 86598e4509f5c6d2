import { describe, expect, it } from "vitest";
import { delegationCode } from "../../../protocol/account/delegation.ts";
import type { Fork } from "../../../protocol/params/forks.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createJournal } from "../../state/journal/journal.ts";
import { BudgetSpent } from "../evm.ts";
import { precompiles } from "../precompiles/index.ts";
import { agreed, agreedRuns, type Scene } from "../testing/agreed-run.ts";
import { assemble } from "../testing/assemble.ts";
import { address, CONTRACT, call, ENGINE_VARIANTS, engine, stateOf, word } from "../testing/run-code.ts";
import { createEvm } from "./create-evm.ts";

const [A, B, C, D, E] = [0x10_001, 0x10_002, 0x10_003, 0x10_004, 0x10_005];
const LEVELS: readonly (Fork | "genesis")[] = ["genesis", "london", "kore", "cancun", "osaka"];
const CALL = (to: number, value = 0) => `0 0 0 0 ${value} ${to} 400000 CALL`;
const DELEGATECALL = (to: number) => `0 0 0 0 ${to} 400000 DELEGATECALL`;
const CALLCODE = (to: number) => `0 0 0 0 0 ${to} 400000 CALLCODE`;
const TWICE = (source: string) => `${source} ${source}`;
const BUMP = (slot: number, by: string | number = 1) => `${slot} SLOAD ${by} ADD ${slot} SSTORE`;
const GIVE_UP = "0 0 REVERT";

/** Actions of frames entered without the host: each makes the host read, or change, something of its own. */
const PARTS: Readonly<Record<string, string>> = {
  balance: `${A} BALANCE ${CONTRACT} BALANCE ADD ${BUMP(0)} 0 SLOAD ADD 0 SSTORE`,
  hash: `${A} EXTCODEHASH 0x9999 EXTCODEHASH ADD 0 SSTORE ${BUMP(1)}`,
  size: `${A} EXTCODESIZE 0x9999 EXTCODESIZE ADD ${D} EXTCODESIZE ADD ADDRESS EXTCODESIZE ADD 2 SSTORE`,
  copy: `32 0 0 ${A} EXTCODECOPY 0 MLOAD 0 SSTORE 64 0 0 ${D} EXTCODECOPY 32 MLOAD 2 SSTORE`,
  value: `${CALL(A, 3)} ${BUMP(0)} ${CALL(0x9998, 1)} POP SELFBALANCE ADD 2 SSTORE`,
  poor: `${BUMP(0)} ${CALL(A, 10 ** 9)} 2 SSTORE ${BUMP(0)}`,
  creation: `${BUMP(0)} 0x6001600055 0 MSTORE 5 27 0 CREATE ${BUMP(1)} 0 SSTORE 5 27 0 CREATE POP`,
  failure: `${BUMP(0)} 0x60016000fd 0 MSTORE 5 27 0 CREATE 1 ADD ${BUMP(0)} POP`,
  precompile: `${BUMP(0)} 32 0 32 0 4 GAS STATICCALL 32 0 32 0 2 GAS STATICCALL ADD 0 MLOAD ADD 2 SSTORE`,
  code: `${TWICE(`${CALLCODE(A)} POP`)} ${TWICE(`${DELEGATECALL(A)} POP`)} ${BUMP(0)}`,
  empty: `${TWICE(`${CALL(0x9997)} POP`)} ${BUMP(1)} ${CALL(D)} POP ${TWICE(`${CALL(D)} 0 SSTORE`)}`,
  again: `${BUMP(0)} CALLDATASIZE @end JUMPI 0 0 1 0 0 ${CONTRACT} 50000 CALL ${BUMP(0)} 0 SSTORE end:`,
  logs: `1 2 0 0 LOG2 ${BUMP(0)} ${CALL(A)} POP 3 40 0 LOG1`,
  undone: `${BUMP(0)} 0 2 SSTORE ${CALL(E)} POP ${BUMP(2)} 0 1 SSTORE ${CALL(E)} POP 7 1 SSTORE`,
  spent: `${BUMP(0)} 0 0 0 0 0 ${E} 2000 CALL POP 0 0 0 0 0 ${A} 9000 CALL 2 SSTORE`,
  exact: `${BUMP(0)} 0 0 0 0 0 ${A} 30000 CALL POP 0 1 SSTORE INVALID`,
};
const LATER: Readonly<Record<string, string>> = {
  transient: `0 TLOAD 1 ADD 0 TSTORE ${BUMP(0, "0 TLOAD")} ${CALL(E)} POP ${CALL(A)} POP 0 TLOAD 2 SSTORE`,
};

function sceneOf(part: string): Scene {
  const both = `${CALL(B)} POP ${DELEGATECALL(B)} POP ${CALL(B)} POP`;
  return {
    [CONTRACT]: `CALLDATASIZE @short JUMPI ${both} ${CALL(A)} POP ${both} ${CALL(C)} POP ${both} STOP short: ${BUMP(2)} ${CALL(B)} POP`,
    [A]: `${BUMP(0)} 1 1 SSTORE 0 1 SSTORE 8 0 0 LOG1`,
    [B]: part,
    [C]: `${part} ${BUMP(0)} ${CALL(A)} POP ${GIVE_UP}`,
    [E]: `${BUMP(0)} 0 1 SSTORE ${CALL(A)} POP ${GIVE_UP}`,
    [D]: { code: delegationCode(address(A)), balance: 5n, storage: { 1: 4n } },
    [0x9999]: { balance: 1n },
  };
}

describe("host operations during a run that caches slots in linear memory", () => {
  const everywhere = Object.keys(PARTS).flatMap((name) => LEVELS.map((fork) => [name, fork] as const));
  it.each([...everywhere, ["transient", "cancun"] as const, ["transient", "osaka"] as const])(
    "%s at %s",
    (name, fork) => {
      const scene = sceneOf((PARTS[name] ?? LATER[name]) as string);
      expect(agreedRuns(scene, { fork })[0]?.outcome).toBe("success");
      agreedRuns(scene, { fork, gas: 300_000n });
    },
  );

  it("reach the computation cost limit at the same opcode, with everything before it reverted", () => {
    const scene = sceneOf(PARTS["undone"] as string);
    const { computation } = agreed(scene);
    const limits = Array.from({ length: 12 }, (_, i) => (computation * BigInt(i)) / 12n);
    const outcomes = limits.map((limit) => agreed(scene, { computation: limit }).outcome);
    expect(new Set(outcomes)).toEqual(new Set(["computationLimit"]));
  });

  it("distinguish what an access list has warmed from what it has not", () => {
    const scene = {
      [CONTRACT]: `GAS ${BUMP(0)} 2 SLOAD POP ${CALL(A)} POP GAS SWAP1 SUB 1 SSTORE`,
      [A]: BUMP(1),
    };
    const cold = agreed(scene);
    const warm = agreed(scene, {
      prepare: (state) => {
        state.warm(address(A));
        state.warmSlot(address(A), word(1));
        state.warmSlot(address(CONTRACT), word(0));
      },
    });
    expect(warm.gasLeft - cold.gasLeft).toBe(2500n + 2000n + 2000n);
  });
});

describe("a state shared by several runs", () => {
  it("reverts the slots, warm accesses and logs of a run with the checkpoint around it", () => {
    const seen = ENGINE_VARIANTS.map((variant) => {
      const code = assemble(`${BUMP(0)} ${CALL(A)} POP 1 0 0 LOG1 0 1 SSTORE`);
      const state = stateOf({ [CONTRACT]: { code, storage: { 1: 7n } }, [A]: { code: assemble(BUMP(0)) } });
      const evm = engine(variant);
      const before = call(state, { evm });
      state.checkpoint();
      call(state, { evm });
      state.revert();
      expect(state.logs.length).toBe(1);
      state.checkpoint();
      const after = call(state, { evm });
      state.commit();
      expect(state.logs.length).toBe(2);
      expect(state.storage(address(A), word(0))).toEqual(word(2));
      return [before.gasLeft, after.gasLeft, state.refund];
    });
    expect(new Set(seen.map(String)).size).toBe(1);
  });

  it("is unchanged, and the machine reset, if a read fails during a run", () => {
    for (const variant of ENGINE_VARIANTS) {
      const codes = [
        assemble(`${BUMP(0)} 4 0 0 LOG1 ${CALL(A)} POP ${CALL(A)} POP`),
        assemble(`${BUMP(0)} ${CALL(B)} POP`),
        assemble(BUMP(0)),
      ];
      const whole = stateOf(
        Object.fromEntries(
          [CONTRACT, A, B].map((at, i) => [at, { code: codes[i] as Uint8Array, storage: { 0: 9n } }]),
        ),
      );
      let missing = 0;
      const known = new Set<string>();
      const fetched = (key: string): void => {
        if (known.has(key)) return;
        known.add(key);
        missing++;
        throw new Error("not fetched yet");
      };
      const state = createJournal({
        account: (at) => {
          fetched(bytesToHex(at));
          return whole.core.entry(at).account;
        },
        storage: (at, slot) => {
          fetched(bytesToHex(at) + bytesToHex(slot));
          return whole.storage(at, slot);
        },
        code: (hash) => {
          fetched(bytesToHex(hash));
          return codes.find(
            (_, i) => whole.core.entry(address([CONTRACT, A, B][i] as number)).account?.codeHash === hash,
          ) as Uint8Array;
        },
      });
      const evm = engine(variant);
      for (;;) {
        try {
          const { outcome, gasLeft } = call(state, { evm });
          expect([outcome, gasLeft]).toEqual(["success", call(whole, { evm: engine(variant) }).gasLeft]);
          break;
        } catch (error) {
          expect((error as Error).message).toBe("not fetched yet");
          expect(state.logs).toEqual([]);
          expect(state.refund).toBe(0n);
        }
      }
      expect(missing).toBeGreaterThan(7);
      expect(state.storage(address(B), word(0))).toEqual(word(11));
      expect(state.logs.length).toBe(1);
    }
  });

  it("is unchanged if the budget is spent in a frame that exists only in linear memory", () => {
    const scene = {
      [CONTRACT]: { code: assemble(`${BUMP(0)} top: ${CALL(A)} POP @top JUMP`) },
      [A]: { code: assemble(`${BUMP(0)} 1 0 0 LOG1`) },
    };
    for (const variant of ENGINE_VARIANTS) {
      const state = stateOf(scene);
      const evm = engine(variant);
      let left = 20;
      const budget = { isSpent: () => left-- === 0, precompileGas: 10n ** 9n };
      expect(() => call(state, { evm, budget, gas: 10n ** 11n })).toThrow(BudgetSpent);
      expect(state.storage(address(A), word(0))).toEqual(word(0));
      expect(state.logs).toEqual([]);
      const expected = call(stateOf(scene), { gas: 200_000n });
      expect(call(state, { evm, gas: 200_000n }).gasLeft).toBe(expected.gasLeft);
    }
  });

  it("checks the budget about every million gas, however many frames use it", () => {
    const spin = "6000 top: 1 SWAP1 SUB DUP1 @top JUMPI";
    const state = stateOf({
      [CONTRACT]: { code: assemble(`top: ${`${CALL(A)} POP `.repeat(30)} 0x9999 BALANCE POP @top JUMP`) },
      [A]: { code: assemble(spin) },
    });
    let checks = 0;
    const budget = { isSpent: () => ++checks < 0, precompileGas: 10n ** 9n };
    const gas = 200_000_000n;
    expect(call(state, { evm: createEvm({ precompiles, now: () => 0 }), budget, gas }).outcome).toBe(
      "outOfGas",
    );
    expect(checks).toBeGreaterThan(100);
  });
});

describe("a machine that ran out of memory", () => {
  it("serves the next run normally", () => {
    const evm = createEvm({ precompiles, now: () => 0, memoryLimit: 64 << 20 });
    const large = stateOf({ [CONTRACT]: { code: assemble(`1 ${20 << 20} MSTORE 1 ${500 << 20} MSTORE`) } });
    expect(() => call(large, { evm, gas: 10n ** 15n })).toThrow("more than 64 MiB of memory");
    const small = stateOf({ [CONTRACT]: { code: assemble("1 0 SSTORE") } });
    expect(call(small, { evm, gas: 50_000n }).gasLeft).toBe(50_000n - 22_106n);
  });
});
