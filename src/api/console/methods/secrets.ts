import type { Json } from "../../../protocol/codec/json/value.ts";
import { visible } from "../../../protocol/primitives/visible.ts";
import type { WalletDescription } from "../../rpc/spec/accounts/personal.ts";
import type { Bridge } from "../bridge.ts";
import type { ConsoleMethod, ConsoleParameter } from "./catalogue.ts";

/** A device's request for a secret: the suffix of the reference's error texts. */
const CHALLENGE = /(pin|passphrase) needed$/;
/** Instructions for a PIN when the device shows a scrambled keypad. */
const KEYPAD = `Look at the device: it shows the digits in new places. Type the positions as on this keypad:
  7 | 8 | 9
  4 | 5 | 6
  1 | 2 | 3`;

/** Wallets whose keys are unlocked with a passphrase at this node. */
const OWN_WALLETS = /^(keystore|memory):/;

/**
 * Prompts for every secret that is omitted or null, except those that only some wallets need, and the passphrase of an account
 * that signs elsewhere.
 * @param args - positional arguments, changed in place
 */
export function askForSecrets({ name, params }: ConsoleMethod, args: unknown[], bridge: Bridge): void {
  const missing = params.flatMap((parameter, i) =>
    parameter.secret !== undefined && !isChallenged(parameter) && (args[i] ?? null) === null ? [i] : [],
  );
  if (missing.length === 0) return;
  const sender = senderOf(name, args);
  if (sender !== undefined && signsElsewhere(sender, bridge)) {
    for (const i of missing) args[i] = "";
    return;
  }
  const account = params.findIndex(({ title }) => title === "address");
  if (account >= 0 && typeof args[account] === "string")
    bridge.print(`Unlock account ${visible(args[account])}\n`);
  for (const i of missing) {
    const parameter = params[i] as ConsoleParameter;
    args[i] = bridge.secret(`${label(parameter)}: `, parameter.secret === "askTwice");
  }
}

/** The account whose key signs the transaction in the arguments; undefined if there is none. */
function senderOf(name: string, args: readonly unknown[]): string | undefined {
  const tx = args.find((arg) => typeof arg === "object" && arg !== null && "from" in arg);
  if (tx === undefined) return undefined;
  const { from, feePayer } = tx as { readonly from: unknown; readonly feePayer?: unknown };
  const sender = name.endsWith("AsFeePayer") ? (feePayer ?? from) : from;
  return typeof sender === "string" ? sender.toLowerCase() : undefined;
}

/** Whether an account belongs to a device or an external signer, according to this node. */
function signsElsewhere(address: string, bridge: Bridge): boolean {
  let wallets: Json;
  try {
    wallets = bridge.call("personal_listWallets", []);
  } catch {
    return false;
  }
  // A call gives JSON of any shape; this one has the shape that the method is declared to return.
  const holders = ((wallets ?? []) as unknown as readonly WalletDescription[]).filter(({ accounts = [] }) =>
    accounts.some((account) => account.address.toLowerCase() === address),
  );
  return holders.length > 0 && holders.every(({ url }) => !OWN_WALLETS.test(url));
}

/** A secret that a wallet requests on demand: optional, and not for a new key. */
function isChallenged({ secret, optional }: ConsoleParameter): boolean {
  return secret === "ask" && optional;
}

/** `Passphrase`, `New passphrase`, `Private key`. */
function label({ name, title }: ConsoleParameter): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const text = words.includes(title) ? words : title;
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** Calls a method; when a wallet requests its PIN or passphrase, prompts the user and calls again. */
export function callWithChallenges(
  { name, params }: ConsoleMethod,
  args: readonly Json[],
  bridge: Bridge,
): Json {
  const at = params.findIndex(isChallenged);
  if (at < 0 || (args[at] ?? null) !== null) return bridge.call(name, args);
  for (let given = [...args]; ; ) {
    try {
      return bridge.call(name, given);
    } catch (error) {
      const wanted = CHALLENGE.exec((error as Error).message)?.[1];
      if (wanted === undefined) throw error;
      if (wanted === "pin") bridge.print(`${KEYPAD}\n`);
      given = [...args.slice(0, at), bridge.secret(wanted === "pin" ? "PIN: " : "Passphrase: ", false)];
    }
  }
}
