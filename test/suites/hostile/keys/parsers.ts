import { randomBytes, randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDapps } from "../../../../src/node/dev/fee-payer/dapp-file.ts";
import { readConfigFile } from "../../../../src/platform/config/file.ts";
import { NodeError } from "../../../../src/protocol/primitives/errors.ts";
import { commandToReports, ResponseAssembler } from "../../../../src/wallet/hardware/ledger/framing.ts";
import { MessageAssembler, messageToReports } from "../../../../src/wallet/hardware/trezor/framing.ts";
import { Fields } from "../../../../src/wallet/hardware/trezor/protobuf.ts";
import { keyFileAddress, parseKeyFile } from "../../../../src/wallet/keystore/key-file.ts";
import { parseRawKey } from "../../../../src/wallet/raw-key.ts";
import { type HostileRow, hold } from "../row.ts";

const ROUNDS = 5000;
const vectors = new URL("../../../fixtures/vectors/keystore/keyfiles.json", import.meta.url);

/** Unexpected JSON values. */
const ODD = [
  ...'{}[]",:0-.eE\\\u0000',
  ...[
    "null",
    "1e400",
    "-0",
    "[[[[[[",
    '"__proto__":{',
    "\\ud800",
    "true",
    '"constructor"',
    "\ufeff",
    "{".repeat(5000),
  ],
];

/** A text with some of its parts changed, removed, duplicated, or odd. */
function mutated(text: string): string {
  let result = text;
  for (let i = randomInt(1, 5); i > 0; i--) {
    const at = randomInt(result.length + 1);
    const end = Math.min(result.length, at + randomInt(20));
    const change = [ODD[randomInt(ODD.length)] as string, "", result.slice(at, end).repeat(2)][randomInt(3)];
    result = result.slice(0, at) + change + result.slice(end);
  }
  return result;
}

/** Feeds a parser, which may reject its input, but only with a typed error and in time. */
function feed(name: string, rounds: number, read: () => unknown): number {
  let refused = 0;
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    try {
      read();
    } catch (error) {
      hold(error instanceof NodeError, `${name}: ${(error as Error).stack}`);
      refused++;
    }
    const took = performance.now() - began;
    hold(took < 2000, `${name}: ${took} ms for one input`);
  }
  return refused;
}

async function files(): Promise<string> {
  const { cases } = JSON.parse(readFileSync(vectors, "utf8")) as { cases: { json: object }[] };
  const texts = cases.map(({ json }) => JSON.stringify(json));
  const some = () => mutated(texts[randomInt(texts.length)] as string);
  const dir = mkdtempSync(join(tmpdir(), "kairn-fuzz-"));
  const config = join(dir, "config");
  const settings = '{"rpcport":8551,"rpcapi":["eth","net"],"verbosity":3,"datadir":"/tmp"}';
  const dapps = '[{"name":"a","apiKeys":["k"],"contracts":[],"senders":[],"balance":"1.5","active":true}]';
  const raw = `${"1".repeat(64)}0x000x${"2".repeat(40)}`;
  try {
    const refused = [
      feed("key file", ROUNDS, () => parseKeyFile(some())),
      feed("address of a key file", ROUNDS, () => keyFileAddress(some())),
      feed("raw key", ROUNDS, () => parseRawKey(mutated(raw))),
      feed("file of dApps", ROUNDS, () => readDapps(mutated(dapps))),
      feed("config file", ROUNDS / 10, () => {
        writeFileSync(config, mutated(settings));
        readConfigFile(config);
      }),
    ];
    hold(({} as { polluted?: unknown }).polluted === undefined, "a prototype was changed");
    return `${4.1 * ROUNDS} mutated inputs of 5 readers, ${refused.join("+")} refused, each by a typed error`;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Reports of a hostile device: changed bytes, lengths, orders, and noise. */
function hostileReports(reports: readonly Uint8Array[]): Uint8Array[] {
  const changed = reports.map((report) => {
    const copy = report.slice();
    for (let i = randomInt(4); i > 0; i--) copy[randomInt(copy.length)] = randomInt(256);
    return randomInt(8) === 0 ? copy.subarray(0, randomInt(copy.length)) : copy;
  });
  if (randomInt(4) === 0) changed.splice(randomInt(changed.length), 1);
  if (randomInt(4) === 0) changed.push(randomBytes(64));
  return changed;
}

async function framing(): Promise<string> {
  const ledger = feed("ledger", ROUNDS, () => {
    const assembler = new ResponseAssembler();
    for (const report of hostileReports(commandToReports(randomBytes(randomInt(1, 300)))))
      assembler.push(report);
  });
  const trezor = feed("trezor", ROUNDS, () => {
    const assembler = new MessageAssembler();
    const body = randomBytes(randomInt(300));
    for (const report of hostileReports(messageToReports({ type: randomInt(65536), body })))
      assembler.push(report);
  });
  const fields = feed("protocol buffers", ROUNDS, () => {
    const read = new Fields(randomBytes(randomInt(60)));
    for (let number = 0; number < 8; number++) [read.uint(number), read.text(number), read.uints(number)];
  });
  const silent = feed("a device that never ends", 1, () => {
    const assembler = new MessageAssembler();
    for (let i = 0; i < 5000; i++) assembler.push(Uint8Array.of(0x3f));
  });
  hold(silent === 1, "reports without content are waited for without end");
  return `${3 * ROUNDS} answers of hostile devices, ${ledger}+${trezor}+${fields} refused, each by a typed error`;
}

export const parserRows: readonly HostileRow[] = [
  {
    id: "F6",
    promise: "external key files, settings and lists are parsed or rejected with a typed error",
    run: files,
  },
  { id: "F7", promise: "any response of a device is parsed or rejected with a typed error", run: framing },
];
