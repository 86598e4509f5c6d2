import type { EthereumFork } from "../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { bytesToBigint } from "../../../../src/protocol/primitives/bytes.ts";
import { type SceneTransaction, SENDER, sceneOf } from "../../fuzz/scene.ts";
import { isSince } from "../ethereum-block.ts";
import type { EthereumTransaction } from "../fixture.ts";
import { floorGas, larger, paidGas } from "../intrinsic-gas.ts";
import type { AddressSource, CaseAccount, StateCase, Theme } from "./case.ts";

/** Cases of a scene of the fuzzer: each of its transactions separately, on the same accounts. */
export function sceneCases(seed: number, on: readonly EthereumFork[]): StateCase[] {
  const last = on.at(-1) as EthereumFork;
  const { accounts, transactions } = sceneOf(seed, isSince(last, "Prague"));
  return transactions.map((tx, i) => ({
    name: `seed${seed}_${i}`,
    about: "a random program of the fuzzer",
    forks:
      isSince(on[0] as EthereumFork, "Berlin") || tx.accessList.length === 0
        ? on
        : on.filter((f) => isSince(f, "Berlin")),
    from: SENDER,
    to: tx.to ?? null,
    nonce: 1n,
    accounts: accountsOf(accounts),
    sender: { balance: 10n ** 18n, nonce: 1n },
    data: [tx.input],
    value: [tx.value],
    gas: [gasLimit(tx, last)],
    // go-ethereum treats a London block with a random word as one after the merge
    env: isSince(last, "Paris") ? {} : { currentRandom: "" },
    ...(tx.accessList.length > 0 && {
      accessLists: [
        tx.accessList.map(
          ({ address, slots }) => [address, slots.map((word) => bytesToBigint(word))] as const,
        ),
      ],
    }),
  }));
}

function accountsOf(accounts: ReturnType<typeof sceneOf>["accounts"]): Map<AddressSource, CaseAccount> {
  const contracts = accounts.filter(({ code }) => code.length > 0);
  return new Map(
    contracts.map(({ address, balance, nonce, code, storage }) => [
      address,
      {
        balance,
        nonce,
        code,
        storage: Object.fromEntries(
          storage.map(([slot, value]) => [`${bytesToBigint(slot)}`, bytesToBigint(value)]),
        ),
      },
    ]),
  );
}

/** The scene's gas and the transaction's intrinsic gas. */
function gasLimit(tx: SceneTransaction, fork: EthereumFork): bigint {
  const priced = {
    ...tx,
    accessList: tx.accessList.map(({ address, slots }) => ({ address, storageKeys: slots })),
  };
  const known = priced as unknown as EthereumTransaction;
  return tx.gas + larger(paidGas(known, fork), floorGas(known, fork));
}

const EARLY: readonly EthereumFork[] = ["Byzantium", "Istanbul", "London", "Cancun"];
const LATE: readonly EthereumFork[] = ["Prague", "Osaka"];

/** Seeds of scenes, and which of their transactions. */
type Choice = readonly (readonly [seed: number, transaction: number])[];
/** Scenes whose programs complete and write or log something. */
const EARLY_SCENES: Choice = [
  [46, 2],
  [108, 0],
  [201, 2],
  [284, 0],
  [316, 0],
  [317, 1],
];
const LATE_SCENES: Choice = [
  [1001, 2],
  [1021, 0],
  [1028, 0],
  [1030, 0],
  [1036, 0],
  [1050, 0],
  [1053, 0],
  [1071, 0],
  [1071, 2],
  [1076, 0],
  [1079, 1],
  [1088, 1],
  [1099, 1],
  [1111, 0],
  [1113, 0],
  [1146, 0],
  [1152, 0],
  [1167, 0],
  [1170, 0],
  [1170, 1],
  [1171, 0],
  [1205, 0],
];

function theme(directory: string, chosen: Choice, on: readonly EthereumFork[]): Theme {
  return { directory, cases: chosen.map(([seed, i]) => sceneCases(seed, on)[i] as StateCase) };
}

/** Random programs, the same in every run. */
export const RANDOM: readonly Theme[] = [
  theme("stRandom", EARLY_SCENES, EARLY),
  theme("stRandom2", LATE_SCENES, LATE),
];
