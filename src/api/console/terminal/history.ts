import { appendFileSync, chmodSync, existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { LARGE_FILE, readTextWithin } from "../../../platform/intake/read-file.ts";
import { createFolder } from "../../../platform/runtime/create-folder.ts";
import { api } from "../../rpc/spec/api.ts";
import { declaredModule } from "../../rpc/spec/chain-names.ts";
import type { Method } from "../../rpc/spec/method.ts";
import { literalsOf } from "./source.ts";

/** Maximum lines kept. */
const MAX_LINES = 1000;

/** The history, newest first, and its file: readable by the owner only, and without secrets. */
export class InputHistory {
  readonly #file: string;

  /** @param file - created, with its folder, on the first entry */
  constructor(file: string) {
    this.#file = file;
  }

  /** The lines of earlier sessions, newest first. */
  read(): string[] {
    if (!existsSync(this.#file)) return [];
    chmodSync(this.#file, 0o600);
    const lines = readTextWithin(this.#file, LARGE_FILE)
      .split("\n")
      .filter((line) => line !== "");
    if (lines.length > 2 * MAX_LINES)
      writeFileSync(this.#file, `${lines.slice(-MAX_LINES).join("\n")}\n`, { mode: 0o600 });
    return lines.slice(-MAX_LINES).reverse();
  }

  /**
   * Handles a new line: removed from the list if it may hold a secret or starts with a space, otherwise appended to the
   * file.
   * @param lines - newest first, the new one included; changed in place
   * @param before - the lines of the same statement before it
   */
  take(lines: string[], before: string): void {
    const line = lines[0];
    if (line === undefined) return;
    if (/^\s/.test(line) || mayHoldSecret(before + line)) lines.shift();
    else this.#append(line);
  }

  #append(line: string): void {
    createFolder(dirname(this.#file));
    appendFileSync(this.#file, `${line}\n`, { mode: 0o600 });
  }
}

/** A raw private key, or a wallet key: the key, `0x00` and the address. */
const KEY = /^[0-9a-fA-F]{64}(?:0x[0-9a-fA-F]{2}0x[0-9a-fA-F]{40})?$/;
/** Common names of variables and members that hold secrets. */
const SECRET_VARIABLE = /(?:pass(?:word|phrase|wd)?|secret|mnemonic|seed|pin|private_?key)\w*\s*[=:]/i;

/**
 * Whether a text contains a literal other than an address together with a method that takes a secret or a variable
 * named like one; or contains what looks like a private key.
 */
export function mayHoldSecret(source: string): boolean {
  const literals = literalsOf(source).filter((text) => !/^0x[0-9a-fA-F]{40}$/.test(text));
  if (literals.some((text) => KEY.test(text))) return true;
  // an unclosed quote may hide a secret, too
  const hasText = literals.length > 0 || /["'`]/.test(source.replace(/(["'`])0x[0-9a-fA-F]{40}\1/g, ""));
  return hasText && (SECRET_VARIABLE.test(source) || namesSecretMethod(source));
}

const SECRET_METHODS = new Set(Object.keys(api).filter((name) => takesSecret(name)));
const SECRET_NAMES = new Set([...SECRET_METHODS].map((name) => name.slice(name.indexOf("_") + 1)));

function takesSecret(name: string): boolean {
  const { params } = (api as Record<string, Method>)[name] as Method;
  return Object.values(params).some(({ schema }) => schema.secret !== undefined);
}

/** `personal.sign` does, `eth.sign` does not, and `x.sign` may. */
function namesSecretMethod(source: string): boolean {
  for (const [, module, name = ""] of source.matchAll(/(?:\b(\w+)\s*\.\s*)?\b([A-Za-z]\w*)/g)) {
    if (!SECRET_NAMES.has(name)) continue;
    const declared = `${module && declaredModule(module)}_${name}`;
    if (!(declared in api) || SECRET_METHODS.has(declared)) return true;
  }
  return false;
}
