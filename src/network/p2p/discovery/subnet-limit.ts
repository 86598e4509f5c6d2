import { isLocal, subnetOf } from "./address-rules.ts";

/** Limits nodes per subnet, so that one party cannot fill a table; local addresses are exempt. */
export class SubnetLimit {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** @param most - maximum nodes per subnet */
  constructor(most: number) {
    this.#most = most;
  }

  hasRoom(host: string): boolean {
    return isLocal(host) || (this.#counts.get(subnetOf(host)) ?? 0) < this.#most;
  }

  add(host: string): void {
    if (!isLocal(host)) this.#change(subnetOf(host), 1);
  }

  remove(host: string): void {
    if (!isLocal(host)) this.#change(subnetOf(host), -1);
  }

  #change(subnet: string, by: number): void {
    const count = (this.#counts.get(subnet) ?? 0) + by;
    if (count > 0) this.#counts.set(subnet, count);
    else this.#counts.delete(subnet);
  }
}
