/** How long a liar is banned. */
const BAN_MS = 600_000;
/** Identities, and addresses, that are remembered. */
const MAX_REMEMBERED = 10_000;
/** Identities are free: after this many liars from an address the address is banned. */
const LIARS_OF_AN_ADDRESS = 5;

interface Offence {
  count: number;
  until: number;
}

/** Banned identities and addresses, for ten minutes; the oldest are dropped when there are too many. */
export class Bans {
  readonly #now: () => number;
  readonly #ids = new Map<string, Offence>();
  readonly #hosts = new Map<string, Offence>();

  /** @param now - milliseconds of a clock that is never set back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a liar and its address. */
  add(id: string, host: string): void {
    this.#note(this.#ids, id);
    this.#note(this.#hosts, host);
  }

  /** Whether an identity has lied. */
  has(id: string): boolean {
    return this.#countOf(this.#ids, id) > 0;
  }

  /** Whether too many liars came from an address for more to be taken. */
  hasHost(host: string): boolean {
    return this.#countOf(this.#hosts, host) >= LIARS_OF_AN_ADDRESS;
  }

  #note(offences: Map<string, Offence>, key: string): void {
    const count = this.#countOf(offences, key) + 1;
    offences.delete(key);
    if (offences.size >= MAX_REMEMBERED) offences.delete(offences.keys().next().value as string);
    offences.set(key, { count, until: this.#now() + BAN_MS });
  }

  #countOf(offences: Map<string, Offence>, key: string): number {
    const offence = offences.get(key);
    if (offence === undefined) return 0;
    if (offence.until > this.#now()) return offence.count;
    offences.delete(key);
    return 0;
  }
}
