import { faultOf, parseJsonWithin } from "../../../platform/intake/nesting.ts";
import { ADDRESS_PATTERN } from "../../../protocol/primitives/hex.ts";
import { DevError } from "../errors.ts";
import type { DappOptions } from "./dapps.ts";

const AMOUNT = /^([0-9]+)(?:\.([0-9]{1,18}))?$/;
const UNIT_DIGITS = 18;
const LOWER_CASE = /^0x[0-9a-f]{40}$/;
const MAX_DAPPS = 10_000;

/**
 * Reads the file of dApps: a JSON array of `{ name, apiKeys, contracts, senders, balance, active, terminated }`, with the
 * balance in KAIA.
 * @throws DevError `DAPP_FILE` naming the member
 */
export function readDapps(text: string): DappOptions[] {
  let json: unknown;
  try {
    json = parseJsonWithin(text);
  } catch (cause) {
    throw new DevError("DAPP_FILE", `the dApp file is not JSON: ${faultOf(cause)}`, {}, { cause });
  }
  if (!Array.isArray(json)) throw new DevError("DAPP_FILE", "the dApp file is not an array");
  const dapps = json.map(readDapp);
  if (new Set(dapps.map(({ name }) => name)).size < dapps.length)
    throw new DevError("DAPP_FILE", "two dApps have the same name");
  return dapps;
}

function readDapp(json: unknown, index: number): DappOptions {
  const dapp = (typeof json === "object" && json !== null ? json : {}) as Record<string, unknown>;
  const wrong = (member: string, expects: string): never => {
    throw new DevError("DAPP_FILE", `dApp ${index}: ${member} must be ${expects}`, { index, member });
  };
  const texts = (member: string, pattern: RegExp, expects: string): string[] => {
    const value = dapp[member] ?? [];
    if (!Array.isArray(value)) return wrong(member, `an array of ${expects}`);
    return value.map((one) =>
      typeof one === "string" && pattern.test(one) ? one : wrong(member, `an array of ${expects}`),
    );
  };
  const { name, active = true, terminated = false } = dapp;
  if (typeof name !== "string" || name === "") return wrong("name", "a text");
  if (typeof active !== "boolean") return wrong("active", "true or false");
  if (typeof terminated !== "boolean") return wrong("terminated", "true or false");
  return {
    ...{ name, active, terminated },
    apiKeys: texts("apiKeys", /./, "texts"),
    contracts: texts("contracts", ADDRESS_PATTERN, "addresses").map((one) => one.toLowerCase()),
    senders: texts("senders", ADDRESS_PATTERN, "addresses").map((one) => one.toLowerCase()),
    balance:
      kei(String(dapp["balance"] ?? "")) ?? wrong("balance", 'an amount of KAIA such as "10" or "0.5"'),
  };
}

/** Whether a value is a list of dApps with different names, as `readDapps` returns it. */
export function isListOfDapps(value: unknown): value is readonly DappOptions[] {
  if (!Array.isArray(value) || value.length > MAX_DAPPS || !value.every(isDapp)) return false;
  return new Set(value.map(({ name }) => name)).size === value.length;
}

function isDapp(value: unknown): value is DappOptions {
  if (typeof value !== "object" || value === null) return false;
  const {
    name,
    balance,
    apiKeys,
    contracts,
    senders,
    active = true,
    terminated = false,
    ...rest
  } = value as Partial<Record<keyof DappOptions, unknown>>;
  return (
    typeof name === "string" &&
    name !== "" &&
    typeof balance === "bigint" &&
    balance >= 0n &&
    areTexts(apiKeys, /./) &&
    areTexts(contracts, LOWER_CASE) &&
    areTexts(senders, LOWER_CASE) &&
    typeof active === "boolean" &&
    typeof terminated === "boolean" &&
    Object.keys(rest).length === 0
  );
}

function areTexts(value: unknown, pattern: RegExp): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) && value.every((one) => typeof one === "string" && pattern.test(one));
}

function kei(text: string): bigint | undefined {
  const match = AMOUNT.exec(text);
  if (match === null) return undefined;
  return BigInt((match[1] as string) + (match[2] ?? "").padEnd(UNIT_DIGITS, "0"));
}
