/** Who lied is not taken for so long. */
const BAN_MS = 600_000;
/** Identities, and addresses, that are remembered. */
const MAX_REMEMBERED = 10_000;
/** An identity costs nothing: after so many liars nobody is taken from their address any more. */
const LIARS_OF_AN_ADDRESS = 5;

interface Offence {
  count: number;
  until: number;
}

/** Who lied, and from where; the oldest are forgotten when there are too many, all after ten minutes. */
export class Bans {
  readonly #now: () => number;
  readonly #ids = new Map<string, Offence>();
  readonly #hosts = new Map<string, Offence>();

  /** @param now - milliseconds of a clock that is never set back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a liar and where it came from. */
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
