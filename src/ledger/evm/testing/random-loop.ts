/** Gas of calls: enough for some of the callee's iterations, for all, or more than there is. */
const CALL_GASES = ["0bb8", "2710", "7530", "ea60", "030d40", "ffffff"];
const CALLS = ["f1", "f1", "f1", "f2", "f4", "fa"];

/**
 * Generates loops that mostly run to their end: each iteration reads and writes slots, hashes keys of mappings, logs, calls other
 * contracts, and sometimes reverts, so that frames are reverted in every way.
 */
export class LoopWriter {
  readonly #random: () => number;
  readonly #targets: readonly string[];
  #code = "";

  /** @param targets - addresses to call, hex digits without prefix */
  constructor(random: () => number, targets: readonly string[]) {
    this.#random = random;
    this.#targets = targets;
  }

  /** A new program as hex digits. Between two snippets the stack holds only the number of iterations left. */
  write(): string {
    this.#code = this.#number(1 + this.#below(this.#random() < 0.1 ? 200 : 12));
    const loop = this.#code.length / 2;
    this.#code += "5b";
    for (let pieces = 2 + this.#below(8); pieces > 0; pieces--) this.#piece();
    this.#code += `6001900380${this.#label(loop)}57`;
    if (this.#random() < 0.3) this.#guard("60", "fd");
    this.#code += `50${this.#number(this.#below(100))}${this.#number(this.#below(40))}${this.#random() < 0.85 ? "f3" : "fd"}`;
    return this.#code;
  }

  #piece(): void {
    const kind = this.#below(20);
    if (kind < 6) this.#update();
    else if (kind < 7) this.#code += `${this.#value()}${this.#key()}55`;
    else if (kind < 8) this.#code += `${this.#key()}54600052`;
    else if (kind < 10) this.#log();
    else if (kind < 16) this.#call();
    else if (kind < 17) this.#guard(this.#pick(["60", "61"]), this.#pick(["fd", "fd", "00", "fe"]));
    else if (kind < 18) this.#code += `${this.#target()}${this.#pick(["3b", "3b", "31", "3f"])}602052`;
    else if (kind < 19) this.#code += `3d${this.#number(this.#below(64))}52`;
    else this.#code += `80${this.#value()}${this.#pick(["02", "04", "06", "0a", "1b", "1c", "18"])}604052`;
  }

  /** Reads, modifies and writes a slot. */
  #update(): void {
    this.#code += `${this.#key()}8054${this.#value()}${this.#pick(["01", "01", "03", "18", "16"])}9055`;
  }

  /** A constant, the number of iterations left, or the slot of a mapping entry. */
  #key(): string {
    const kind = this.#below(4);
    if (kind < 2) return this.#number(this.#below(6));
    if (kind < 3) return `80${this.#number(this.#pick([1, 3, 15]))}16`;
    return `80600052${this.#number(this.#below(3))}60205260406000${"20"}`;
  }

  #value(): string {
    return this.#pick([this.#number(0), this.#number(1), this.#number(this.#below(1000)), "80", "5a", "33"]);
  }

  #log(): void {
    const topics = this.#below(5);
    for (let i = 0; i < topics; i++) this.#code += this.#number(this.#below(1000));
    this.#code += `${this.#number(this.#below(100))}${this.#number(this.#below(64))}${(0xa0 + topics).toString(16)}`;
  }

  /** Calls, and stores the success in a slot or in memory, or reverts on failure. */
  #call(): void {
    const kind = this.#pick(CALLS);
    const value = this.#random() < 0.1 ? "6001" : "6000";
    const regions = [0, 1, 2, 3]
      .map(() => this.#number(this.#below(this.#random() < 0.5 ? 1 : 100)))
      .join("");
    const gas = this.#pick(CALL_GASES);
    this.#code += `${regions}${kind < "f4" ? value : ""}${this.#target()}${this.#pushed(gas)}${kind}`;
    const end = this.#below(5);
    if (end < 2) this.#code += "50";
    else if (end < 3) this.#code += "606052";
    else if (end < 4) this.#code += `${this.#number(this.#below(6))}55`;
    else this.#skip("57", "60006000fd");
    if (this.#random() < 0.2) this.#code += `3d6000${this.#number(this.#below(64))}3e`;
  }

  /** Ends the frame when the gas left happens to be a multiple of a power of two. */
  #guard(push: string, end: string): void {
    this.#code += `5a${push}${push === "60" ? "0f" : "00ff"}16`;
    this.#skip("57", `${this.#number(this.#below(40))}6000${end}`);
  }

  #skip(jump: string, skipped: string): void {
    const to = this.#code.length / 2 + 4 + skipped.length / 2;
    this.#code += `${this.#label(to)}${jump}${skipped}5b`;
  }

  #label(at: number): string {
    return `61${at.toString(16).padStart(4, "0")}`;
  }

  #target(): string {
    return this.#pushed(this.#pick(this.#targets));
  }

  #number(value: number): string {
    return this.#pushed(value.toString(16));
  }

  #pushed(value: string): string {
    const digits = value.length & 1 ? `0${value}` : value;
    return (0x5f + digits.length / 2).toString(16) + digits;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
}
