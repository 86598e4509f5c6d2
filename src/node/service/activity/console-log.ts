import { checksumAddress } from "../../../protocol/account/address.ts";
import { type AbiValue, decodeAbi } from "../../../protocol/codec/abi/decode.ts";
import { AbiError, type AbiParameter, readType, signatureText } from "../../../protocol/codec/abi/types.ts";
import { selectorOf } from "../../../protocol/crypto/selector.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** Most characters kept of a line. */
const MAX_LINE_LENGTH = 2048;
/** What up to four arguments of `console.log` may be. */
const COMMON = ["uint256", "string", "bool", "address"];
/** Additional pairs starting with a string, which `console2.sol` has. */
const SIGNED = ["int256"];

type Signature = readonly AbiParameter[];

/** By selector; built with the first line, which takes some milliseconds. */
let signatures: ReadonlyMap<string, Signature> | undefined;

/**
 * The lines logged by inputs to the console, formatted.
 * @param inputs - of calls to `console.sol`; unknown functions are shown as hex
 */
export function consoleLines(inputs: readonly Uint8Array[] = []): readonly string[] {
  return inputs.map((input) => lineOf(input).slice(0, MAX_LINE_LENGTH));
}

function lineOf(input: Uint8Array): string {
  signatures ??= allSignatures();
  const parameters = signatures.get(bytesToHex(input.subarray(0, 4)));
  if (parameters === undefined) return bytesToHex(input);
  try {
    return formatted(
      decodeAbi(parameters, input.subarray(4)).map((value, i) => textOf(value, parameters[i])),
    );
  } catch (error) {
    if (error instanceof AbiError) return bytesToHex(input);
    throw error;
  }
}

function textOf(value: AbiValue, parameter: AbiParameter | undefined): string {
  if (!(value instanceof Uint8Array)) return String(value);
  return parameter?.type.kind === "address" ? checksumAddress(value) : bytesToHex(value);
}

/**
 * Fills in the placeholders of the first argument with the others (`%s`, `%d`, `%i`, `%o`, `%x`), and the rest behind
 * it.
 */
function formatted([first = "", ...rest]: readonly string[]): string {
  let text = "";
  for (let i = 0; i < first.length; i++) {
    const letter = first[i] as string;
    const next = letter === "%" ? first[i + 1] : undefined;
    if (next === "%") text += "%";
    else if (next !== undefined && "sdiox".includes(next) && rest.length > 0) text += rest.shift();
    else {
      text += letter;
      continue;
    }
    i++;
  }
  return [text, ...rest].join(" ");
}

/** Every function of `console.sol` and `console2.sol`. Old versions computed selectors from `uint` and `int`. */
function allSignatures(): ReadonlyMap<string, Signature> {
  const found = new Map<string, Signature>();
  const add = (...names: readonly string[]): void => {
    const parameters = names.map((name) => ({ name: "", type: readType(name) }));
    const text = signatureText("log", parameters);
    for (const spelled of [text, text.replaceAll("int256", "int")])
      found.set(bytesToHex(selectorOf(spelled)), parameters);
  };
  let combinations: readonly (readonly string[])[] = [[]];
  for (let count = 0; count <= 4; count++) {
    for (const names of combinations) add(...names);
    combinations = combinations.flatMap((names) => COMMON.map((name) => [...names, name]));
  }
  for (const name of [...SIGNED, "bytes"]) add(name);
  for (const name of SIGNED) add("string", name);
  for (let size = 1; size <= 32; size++) add(`bytes${size}`);
  return found;
}
