import type { Address } from "../../protocol/primitives/bytes.ts";
import { type DerivationPath, formatDerivationPath } from "../derivation-path.ts";
import { WalletError } from "../errors.ts";
import type { HardwareDriver } from "./driver.ts";

/** Whether the chain knows an account: it has a balance or a nonce. */
export type IsUsed = (address: Address) => boolean | Promise<boolean>;

/** An account of a device and where it lies. */
export interface DerivedAccount {
  readonly address: Address;
  readonly path: DerivationPath;
}

/**
 * Finds the accounts of a device that are in use, from each of its base paths on, counting in the last component; the
 * first unused one behind them is offered too.
 */
export class SelfDerivation {
  readonly #isUsed: IsUsed;
  /** The unused account at the end of each base, or undefined where the device allows no accounts. */
  readonly #ends = new Map<string, DerivedAccount | undefined>();

  constructor(isUsed: IsUsed) {
    this.#isUsed = isUsed;
  }

  /** Looks on where it stopped. @returns accounts not found before */
  async next(driver: Pick<HardwareDriver, "bases" | "address">): Promise<DerivedAccount[]> {
    const found: DerivedAccount[] = [];
    for (const base of driver.bases) found.push(...(await this.#nextOf(base, driver)));
    return found;
  }

  async #nextOf(base: DerivationPath, driver: Pick<HardwareDriver, "address">): Promise<DerivedAccount[]> {
    const key = formatDerivationPath(base);
    const end = this.#ends.get(key);
    if (this.#ends.has(key) && (end === undefined || !(await this.#isUsed(end.address)))) return [];
    const found: DerivedAccount[] = [];
    for (let path = end === undefined ? base : successor(end.path); ; path = successor(path)) {
      const account = await derive(path, driver);
      if (account !== undefined) found.push(account);
      if (account !== undefined && (await this.#isUsed(account.address))) continue;
      this.#ends.set(key, account);
      return found;
    }
  }
}

/** Undefined when the device does not give the accounts of a path. */
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
