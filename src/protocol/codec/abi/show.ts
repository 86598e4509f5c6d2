import { bytesToHex } from "../../primitives/hex.ts";
import type { AbiValue } from "./decode.ts";
import type { AbiParameter, AbiType } from "./types.ts";

/** How a value is written where nothing else is wished. */
export interface AbiStyle {
  address(bytes: Uint8Array): string;
  text(text: string): string;
}

const PLAIN: AbiStyle = { address: bytesToHex, text: (text) => JSON.stringify(text) };

/** Writes a value as its source might: `7`, `"text"`, `[1, 2]`, `(to: 0x…, amount: 5)`. */
export function showValue(value: AbiValue, type: AbiType, style: AbiStyle = PLAIN): string {
  if (type.kind === "tuple") return `(${showValues(value as readonly AbiValue[], type.members, style)})`;
  if (type.kind === "array") {
    const items = (value as readonly AbiValue[]).map((item) => showValue(item, type.element, style));
    return `[${items.join(", ")}]`;
  }
  if (value instanceof Uint8Array) return type.kind === "address" ? style.address(value) : bytesToHex(value);
  return typeof value === "string" ? style.text(value) : String(value);
}

/** Writes the values of parameters, with the names of those that have one. */
export function showValues(
  values: readonly AbiValue[],
  parameters: readonly AbiParameter[],
  style: AbiStyle = PLAIN,
): string {
  return parameters
    .map(({ name, type }, i) => {
      const text = showValue(values[i] as AbiValue, type, style);
      return name === "" ? text : `${name}: ${text}`;
    })
    .join(", ");
}
