import type { Address } from "../../protocol/primitives/bytes.ts";
import { type DerivationPath, formatDerivationPath } from "../derivation-path.ts";
import { WalletError } from "../errors.ts";
import type { HardwareDriver } from "./driver.ts";

/** Whether the chain knows an account: it has a balance or a nonce. */
export type IsUsed = (address: Address) => boolean | Promise<boolean>;

/** An account of a device and its path. */
export interface DerivedAccount {
  readonly address: Address;
  readonly path: DerivationPath;
}

/**
 * Self-derivation, as in go-ethereum: finds the used accounts of a device, starting at each of its base paths and
 * incrementing the last component, up to and including the first unused one.
 */
export class SelfDerivation {
  readonly #isUsed: IsUsed;
  /** The first unused account by base path, or undefined where the device gives out no accounts. */
  readonly #lastByBase = new Map<string, DerivedAccount | undefined>();

  constructor(isUsed: IsUsed) {
    this.#isUsed = isUsed;
  }

  /** Continues where the last call stopped. @returns accounts not found before */
  async discover(driver: Pick<HardwareDriver, "bases" | "address">): Promise<DerivedAccount[]> {
    const found: DerivedAccount[] = [];
    for (const base of driver.bases) found.push(...(await this.#discoverFrom(base, driver)));
    return found;
  }

  async #discoverFrom(
    base: DerivationPath,
    driver: Pick<HardwareDriver, "address">,
  ): Promise<DerivedAccount[]> {
    const key = formatDerivationPath(base);
    const last = this.#lastByBase.get(key);
    if (this.#lastByBase.has(key) && (last === undefined || !(await this.#isUsed(last.address)))) return [];
    const found: DerivedAccount[] = [];
    for (let path = last === undefined ? base : successor(last.path); ; path = successor(path)) {
      const account = await derive(path, driver);
      if (account !== undefined) found.push(account);
      if (account !== undefined && (await this.#isUsed(account.address))) continue;
      this.#lastByBase.set(key, account);
      return found;
    }
  }
}

/** Undefined when the device refuses to derive this path. */
async function derive(
  path: DerivationPath,
  driver: Pick<HardwareDriver, "address">,
): Promise<DerivedAccount | undefined> {
  try {
    return { address: await driver.address(path), path };
  } catch (error) {
    if (error instanceof WalletError && (error.code === "DEVICE_FAILED" || error.code === "CANNOT_SIGN"))
      return undefined;
    throw error;
  }
}

function successor(path: DerivationPath): DerivationPath {
  return [...path.slice(0, -1), (path.at(-1) as number) + 1];
}
