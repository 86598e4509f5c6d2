import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { keccak256 } from "../../../../src/protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import type { DraftFixture, DraftRow } from "./expand.ts";

/** Hash of no logs. */
const NO_LOGS = bytesToHex(keccak256(Uint8Array.of(0xc0)));
/** Root, refusal and logs are found one after the other; one more run confirms them. */
const ROUNDS = 5;
/** Maximum bytes of the output of one run. */
const MAX_OUTPUT_BYTES = 1 << 30;

/** Refusals in go-ethereum's words and in the names of the test format. */
const REFUSALS: readonly (readonly [words: RegExp, name: string])[] = [
  [/nonce too (low|high)/, "NONCE_MISMATCH"],
  [/nonce has max value/, "NONCE_IS_MAX"],
  [/gas limit too high/, "GAS_LIMIT_EXCEEDS_MAXIMUM"],
  [/sender not an eoa/, "SENDER_NOT_EOA"],
  [/max priority fee per gas higher/, "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS"],
  [/max fee per gas less than block base fee/, "INSUFFICIENT_MAX_FEE_PER_GAS"],
  [/access list tx/, "TYPE_1_TX_PRE_FORK"],
  [/blob tx/, "TYPE_3_TX_PRE_FORK"],
  [/setcode tx/, "TYPE_4_TX_PRE_FORK"],
  [/blob transaction of type create/, "TYPE_3_TX_CONTRACT_CREATION"],
  [/missing blob hashes/, "TYPE_3_TX_ZERO_BLOBS"],
  [/too many blobs|blob gas exceeds maximum/, "TYPE_3_TX_BLOB_COUNT_EXCEEDED"],
  [/invalid hash version/, "TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH"],
  [/max fee per blob gas less/, "INSUFFICIENT_MAX_FEE_PER_BLOB_GAS"],
  [/cannot be used to create/, "TYPE_4_TX_CONTRACT_CREATION"],
  [/empty auth list/, "TYPE_4_EMPTY_AUTHORIZATION_LIST"],
  [/max initcode size exceeded/, "INITCODE_SIZE_EXCEEDED"],
  [/gas limit reached/, "GAS_ALLOWANCE_EXCEEDED"],
  [/insufficient funds/, "INSUFFICIENT_ACCOUNT_FUNDS"],
  [/intrinsic gas too low/, "INTRINSIC_GAS_TOO_LOW"],
  [/floor data gas/, "INTRINSIC_GAS_BELOW_FLOOR_GAS_COST"],
];

/** `evm`'s result for a row. */
export interface Verdict {
  readonly name: string;
  readonly fork: string;
  readonly pass: boolean;
  readonly error?: string;
}

/** First line of `evm --version`. */
export function versionOf(program: string): string {
  return spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim();
}

/**
 * Fills in the results of go-ethereum's `evm` for every row, running it until nothing differs.
 * @param program - path of `evm`
 * @param folder - for the input files of `evm`
 * @throws Error for output that cannot be parsed
 */
export function fillIn(fixtures: ReadonlyMap<string, DraftFixture>, program: string, folder: string): void {
  for (let round = 0; round < ROUNDS; round++) {
    const failed = failuresOf(fixtures, program, folder);
    if (failed.length === 0) return;
    for (const [row, verdict] of failed) learn(row, verdict);
  }
  throw new Error("the judge does not agree with its own results");
}

/** The rows on which go-ethereum's `evm` disagrees, and its results. @param folder - for the input files of `evm` */
export function failuresOf(
  fixtures: ReadonlyMap<string, DraftFixture>,
  program: string,
  folder: string,
): [DraftRow, Verdict][] {
  writeFixtures(fixtures, folder);
  return ask(program, folder, fixtures).filter(([, verdict]) => !verdict.pass);
}

/** Writes fixtures by path. */
export function writeFixtures(fixtures: ReadonlyMap<string, DraftFixture>, folder: string): void {
  for (const [path, fixture] of fixtures) {
    const file = join(folder, `${path}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, fixtureText(path, fixture));
  }
}

function ask(
  program: string,
  folder: string,
  fixtures: ReadonlyMap<string, DraftFixture>,
): [DraftRow, Verdict][] {
  const { stdout, status, stderr } = spawnSync(program, ["statetest", folder], {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr.slice(-2000)}`);
  const next: Map<string, number> = new Map();
  return (JSON.parse(stdout) as Verdict[]).map((verdict) => {
    const key = `${verdict.name} ${verdict.fork}`;
    const index = next.get(key) ?? 0;
    next.set(key, index + 1);
    const row = fixtures.get(verdict.name)?.post[verdict.fork]?.[index];
    if (!row) throw new Error(`${key} has no row ${index}`);
    return [row, verdict];
  });
}

function learn(row: DraftRow, { name, fork, error = "" }: Verdict): void {
  const got = /got (?:0x)?([0-9a-f]{64})/.exec(error)?.[1];
  if (error.startsWith("post state logs") && got) row.logs = `0x${got}`;
  else if (got) row.hash = `0x${got}`;
  else {
    const refusal = REFUSALS.find(([words]) => words.test(error))?.[1];
    if (!refusal) throw new Error(`${name} ${fork} ${JSON.stringify(row.indexes)}: ${error}`);
    row.expectException = `TransactionException.${refusal}`;
    row.logs = NO_LOGS;
  }
}

/** JSON of one fixture: a line for each account and each row. */
function fixtureText(name: string, { _info, env, pre, transaction, post }: DraftFixture): string {
  const lines = (entries: readonly (readonly [string, unknown])[]) =>
    entries.map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",\n");
  const rows = Object.entries(post).map(
    ([fork, list]) =>
      `  ${JSON.stringify(fork)}: [\n${list.map((row) => JSON.stringify(row)).join(",\n")}\n  ]`,
  );
  return `{${JSON.stringify(name)}: {
 "_info": ${JSON.stringify(_info)},
 "env": ${JSON.stringify(env)},
 "pre": {
${lines(Object.entries(pre))}
 },
 "transaction": {
${lines(Object.entries(transaction))}
 },
 "post": {
${rows.join(",\n")}
 }
}}
`;
}
