import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { SimpleStateManager } from "@ethereumjs/statemanager";
import { createAccount, createAddressFromString, type PrefixedHexString } from "@ethereumjs/util";
import { describe, expect, it } from "vitest";
import { bytesToBigint } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { createEvm } from "./engine/create-evm.ts";
import type { Evm } from "./evm.ts";
import { precompiles } from "./precompiles/index.ts";
import { type EthereumFork, ethereumRuleSet } from "./tables/ethereum-rules.ts";
import { ProgramWriter, seededRandom } from "./testing/random-program.ts";
import { address, blockAt, ENGINE_VARIANTS, SENDER, stateOf, word } from "./testing/run-code.ts";

/** Programs per fork; `KAIRN_FUZZ=2500` for a long run, `KAIRN_SEED` to start elsewhere. */
const PROGRAMS = Number(process.env["KAIRN_FUZZ"] ?? 25);
const SEED = Number(process.env["KAIRN_SEED"] ?? 1);
const CONTRACTS = [0x2001, 0x2002, 0x2003];
const ABSENT = 0x2004;
const SLOTS = [0, 1, 2, 3, 4, 5];
const FORKS: readonly [EthereumFork, Hardfork][] = [
  ["Istanbul", Hardfork.Istanbul],
  ["London", Hardfork.London],
  ["Cancun", Hardfork.Cancun],
  ["Prague", Hardfork.Prague],
];

/** A message to the first contract, and the code of each contract. */
interface Scene {
  readonly codes: readonly Uint8Array[];
  readonly input: Uint8Array;
  readonly gas: bigint;
}

/** The results of a run that must be equal in every engine. */
interface Observed {
  readonly outcome: string;
  readonly gasLeft: bigint;
  readonly output: string;
  readonly logs: readonly string[];
  readonly refund: bigint;
  readonly storage: readonly string[];
  readonly balances: readonly string[];
  readonly nonces: readonly string[];
}

const osaka = blockAt("osaka");
const block = { ...osaka, rules: { ...osaka.rules, chainId: 1n } };
const hexOf = (number: number) => bytesToHex(address(number)) as PrefixedHexString;

function ours(scene: Scene, evm: Evm): Observed {
  const accounts = scene.codes.map(
    (code, i) => [CONTRACTS[i], { code, balance: 1000n, storage: { 1: 7n, 2: 1n } }] as const,
  );
  const state = stateOf({ [SENDER]: { balance: 10n ** 18n, nonce: 1n }, ...Object.fromEntries(accounts) });
  const caller = address(SENDER);
  for (const warm of [SENDER, CONTRACTS[0] as number, 1, 2, 3, 4]) state.warm(address(warm));
  const message = {
    caller,
    to: address(CONTRACTS[0] as number),
    value: 5n,
    input: scene.input,
    gas: scene.gas,
  };
  const transaction = { origin: caller, gasPrice: 0n, feePayer: caller, blobHashes: [] };
  const result = evm.run(message, block, transaction, state, {});
  const all = [SENDER, ...CONTRACTS, ABSENT];
  return {
    outcome: result.outcome === "success" || result.outcome === "revert" ? result.outcome : "failure",
    gasLeft: result.gasLeft,
    output: bytesToHex(result.output),
    logs: state.logs.map((log) => [log.address, ...log.topics, log.data].map(bytesToHex).join()),
    refund: result.outcome === "success" ? state.refund : 0n,
    storage: CONTRACTS.flatMap((c) =>
      SLOTS.map((s) => `${bytesToBigint(state.storage(address(c), word(s)))}`),
    ),
    balances: all.map((a) => `${state.balance(address(a))}`),
    nonces: all.map((a) => `${state.nonce(address(a))}`),
  };
}

async function theirs(scene: Scene, hardfork: Hardfork): Promise<Observed> {
  const stateManager = new SimpleStateManager();
  const common = new Common({ chain: Mainnet, hardfork });
  const evm = await createEVM({ common, stateManager });
  const of = (number: number) => createAddressFromString(hexOf(number));
  await stateManager.putAccount(of(SENDER), createAccount({ balance: 10n ** 18n, nonce: 1n }));
  for (const [i, code] of scene.codes.entries()) {
    const at = of(CONTRACTS[i] as number);
    await stateManager.putAccount(at, createAccount({ balance: 1000n, nonce: 1n }));
    await stateManager.putCode(at, code);
    await stateManager.putStorage(at, word(1), Uint8Array.of(7));
    await stateManager.putStorage(at, word(2), Uint8Array.of(1));
  }
  for (const warm of [SENDER, CONTRACTS[0] as number, 1, 2, 3, 4])
    evm.journal.addAlwaysWarmAddress(hexOf(warm));
  stateManager.originalStorageCache.clear();
  const { execResult } = await evm.runCall({
    caller: of(SENDER),
    to: of(CONTRACTS[0] as number),
    value: 5n,
    data: scene.input,
    gasLimit: scene.gas,
    skipNonceIncrement: true,
    block: {
      header: {
        ...{ number: block.number, coinbase: createAddressFromString(bytesToHex(block.coinbase)) },
        ...{
          timestamp: block.time,
          difficulty: block.prevRandao,
          prevRandao: word(block.prevRandao),
          gasLimit: 0n,
        },
        ...{ baseFeePerGas: block.baseFee, getBlobGasPrice: () => block.blobBaseFee },
      },
    },
  });
  const error = execResult.exceptionError?.error as string | undefined;
  const failed = error !== undefined;
  const storage: string[] = [];
  for (const c of CONTRACTS) {
    for (const s of SLOTS) storage.push(`${bytesToBigint(await stateManager.getStorage(of(c), word(s)))}`);
  }
  const balances: string[] = [];
  const nonces: string[] = [];
  for (const a of [SENDER, ...CONTRACTS, ABSENT]) {
    const account = await stateManager.getAccount(of(a));
    balances.push(`${account?.balance ?? 0n}`);
    nonces.push(`${account?.nonce ?? 0n}`);
  }
  return {
    outcome: !failed ? "success" : error === "revert" ? "revert" : "failure",
    gasLeft: failed && error !== "revert" ? 0n : scene.gas - execResult.executionGasUsed,
    output: failed && error !== "revert" ? "0x" : bytesToHex(execResult.returnValue),
    logs: failed
      ? []
      : (execResult.logs ?? []).map(([a, topics, data]) => [a, ...topics, data].map(bytesToHex).join()),
    refund: failed ? 0n : (execResult.gasRefund ?? 0n),
    storage,
    balances,
    nonces,
  };
}

describe.each(FORKS)("random programs under %s", (fork, hardfork) => {
  it(`run as in @ethereumjs/evm (${PROGRAMS} from seed ${SEED})`, { timeout: 600_000 }, async () => {
    const random = seededRandom(SEED + fork.length * 7919);
    const targets = [...CONTRACTS, ABSENT, 1, 2, 3, 4].map((n) => n.toString(16));
    const writer = new ProgramWriter(random, targets);
    const ruleSetOf = () => ethereumRuleSet(fork);
    const evms = ENGINE_VARIANTS.map((variant) =>
      createEvm({ precompiles, now: () => 0, ruleSetOf, ...variant }),
    );
    for (let i = 0; i < PROGRAMS; i++) {
      const codes = CONTRACTS.map(() => hexToBytes(`0x${writer.write()}`));
      const gas = BigInt([300, 3000, 20_000, 60_000, 200_000, 400_000][Math.floor(random() * 6)] as number);
      const scene = { codes, input: hexToBytes(`0x${writer.bytes(Math.floor(random() * 100))}`), gas };
      const expected = await theirs(scene, hardfork);
      for (const evm of evms) {
        expect({ program: i, ...ours(scene, evm) }, codes.map(bytesToHex).join("\n")).toEqual({
          program: i,
          ...expected,
        });
      }
    }
  });
});
