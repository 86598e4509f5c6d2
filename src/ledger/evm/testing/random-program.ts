/** A small seeded generator (mulberry32), so that a failing program can be reproduced. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const ALU2 = "01 02 03 04 05 06 07 0b 10 11 12 13 14 16 17 18 1a 1b 1c 1d".split(" ");
const DIVISIONS = "04 05 06 07".split(" ");
/** Limbs at the edges of carries, borrows and estimates of quotient digits. */
const EDGES = [
  "0",
  "1",
  "7fffffffffffffff",
  "8000000000000000",
  "8000000000000001",
  "ffffffff00000000",
].concat(["ffffffff", "100000000", "fffffffffffffffd", "fffffffffffffffe", "ffffffffffffffff"]);
const NULLARY = "30 32 33 34 36 38 3a 3d 41 42 43 44 45 46 47 48 58 59 5a 5f".split(" ");
/** Init code that deploys `SSTORE(1, 1); SELFDESTRUCT(caller)`, 16 bytes. */
const MORTAL = "66600160015533ff60005260076019f3";
const WRONG = "0c fe 56 57 50505050505050 3e fd 00 51 52 20 a3 5e 37 f1 f5 55".split(" ");

/** Generates random bytecode: mostly well-formed, with jumps, memory, storage, calls between `targets`, and some invalid code. */
export class ProgramWriter {
  readonly #random: () => number;
  readonly #targets: readonly string[];
  #code = "";
  #height = 0;
  #labels: number[] = [];
  #forward: number[] = [];

  /** @param targets - addresses to call, hex digits without prefix */
  constructor(random: () => number, targets: readonly string[]) {
    this.#random = random;
    this.#targets = targets;
  }

  /** A new program as hex digits. */
  write(): string {
    this.#code = "";
    this.#height = 0;
    this.#labels = [];
    this.#forward = [];
    for (let i = 0; i < 4; i++) this.#push(this.#value());
    const length = 10 + this.#below(70);
    for (let i = 0; i < length; i++) this.#step();
    for (const at of this.#forward) {
      const to = this.#random() < 0.95 ? at / 2 + 3 : this.#below(this.#code.length / 2);
      this.#code = this.#code.slice(0, at) + to.toString(16).padStart(4, "0") + this.#code.slice(at + 4);
    }
    if (this.#random() > 0.85) return this.#code;
    return `${this.#code}60005260206000${this.#pick(["f3", "f3", "f3", "fd"])}`;
  }

  /** One to five instructions, by weight. */
  #step(): void {
    if (this.#height < 3 && this.#random() < 0.97) this.#push(this.#value());
    const kind = this.#below(116);
    if (kind < 22) this.#push(this.#value());
    else if (kind < 46) this.#operation(this.#pick(ALU2), -1);
    else if (kind < 50) this.#operation(this.#pick(["08", "09"]), -2);
    else if (kind < 52) this.#operation(this.#pick(["15", "19", "49"]), 0);
    else if (kind < 53) this.#operation(`${this.#small()}0a`, 0);
    else if (kind < 60) this.#shuffle();
    else if (kind < 70) this.#memory();
    else if (kind < 78) this.#storage();
    else if (kind < 82) this.#operation(this.#pick(NULLARY), 1);
    else if (kind < 84) this.#log();
    else if (kind < 94) this.#control();
    else if (kind < 97) this.#account();
    else if (kind < 108) this.#call();
    else if (kind < 110) this.#create();
    else if (kind < 114) this.#division();
    else if (this.#random() < 0.2)
      this.#code += this.#random() < 0.2 ? `${this.#pushed(this.#pick(this.#targets))}ff` : this.#pick(WRONG);
  }

  #shuffle(): void {
    const depth = 1 + this.#below(Math.min(16, Math.max(1, this.#height)));
    if (this.#random() < 0.6) this.#operation((0x7f + depth).toString(16), 1);
    else this.#operation((0x8f + Math.min(depth, Math.max(1, this.#height - 1))).toString(16), 0);
  }

  #memory(): void {
    const small = () => this.#small();
    const choices: [string, number][] = [
      [`${small()}52`, -1],
      [`${small()}51`, 1],
      [`${small()}53`, -1],
      [`${small()}${small()}20`, 1],
      [`${small()}${small()}${small()}5e`, 0],
      [`${small()}35`, 1],
      [`${small()}${small()}${small()}${this.#pick(["37", "39"])}`, 0],
      [`3d6000${small()}3e`, 0],
    ];
    this.#operation(...this.#pick(choices));
  }

  #storage(): void {
    const slot = this.#pushed(this.#below(6).toString(16));
    if (this.#random() < 0.7) this.#operation(slot + this.#pick(["54", "55"]), -1);
    else this.#operation(slot + this.#pick(["5c", "5d"]), -1);
  }

  #log(): void {
    const topics = this.#below(5);
    while (this.#height < topics) this.#push(this.#value());
    this.#operation(`${this.#small()}${this.#small()}${(0xa0 + topics).toString(16)}`, -topics);
  }

  #control(): void {
    const kind = this.#below(10);
    if (kind < 4) {
      this.#labels.push(this.#code.length / 2);
      this.#code += "5b";
    } else if (kind < 7 && this.#labels.length > 0) {
      const mask = this.#pushed(this.#pick(["03", "07", "0f"]));
      this.#code += `5a${mask}1661${this.#pick(this.#labels).toString(16).padStart(4, "0")}57`;
    } else if (kind < 9) {
      this.#forward.push(this.#code.length + 2);
      this.#code += "610000565b";
    } else this.#operation("50", -1);
  }

  #account(): void {
    const target = this.#pushed(this.#pick(this.#targets));
    const copy = `${this.#small()}${this.#small()}${this.#small()}${target}3c`;
    this.#random() < 0.8
      ? this.#operation(target + this.#pick(["31", "3b", "3f"]), 1)
      : this.#operation(copy, 0);
  }

  /** A call of any kind; half of them pass all gas. */
  #call(): void {
    const kind = this.#pick(["f1", "f1", "f1", "f2", "f4", "fa"]);
    const value = this.#random() < 0.2 ? this.#small() : "6000";
    const gas = this.#random() < 0.5 ? "5a" : this.#pushed(this.#below(60000).toString(16));
    const regions = this.#small() + this.#small() + this.#small() + this.#small();
    const target = this.#pushed(this.#pick(this.#targets));
    this.#operation(`${regions}${kind < "f4" ? value : ""}${target}${gas}${kind}`, 1);
  }

  /** A creation; many have an init code in memory: one stores and deploys ten bytes, one deploys a mortal contract. */
  #create(): void {
    const value = this.#random() < 0.3 ? this.#small() : "6000";
    const deploy = "6c6001600055600a6016f3000000600052";
    const prefix = this.#random() < 0.5 ? "" : deploy;
    const salt = this.#random() < 0.5 ? this.#small() : "";
    const end = `${value}${salt ? "f5" : "f0"}`;
    if (this.#random() < 0.3) {
      this.#operation(`6f${MORTAL}600052${salt}60106010${end}`, 1);
      return;
    }
    const size = this.#pick(["6000", "600d", "6020"]);
    const from = this.#pick(["6000", "6013"]);
    this.#operation(`${prefix}${salt}${size}${from}${end}`, 1);
  }

  /** Divides a number next to a multiple of the top of the stack by it, or edges modulo it. */
  #division(): void {
    if (this.#random() < 0.5) this.#push(this.#edge());
    const kind = this.#below(3);
    const [x, y] = [this.#pushed(this.#edge()), this.#pushed(this.#edge())];
    if (kind === 0) this.#operation(`${x}${y}${this.#pick(["08", "09"])}`, 0);
    else
      this.#operation(
        `80${x}02${this.#pushed(this.#below(3).toString())}90${kind === 1 ? "03" : "01"}${this.#pick(DIVISIONS)}`,
        0,
      );
  }

  /** One to four limbs, most of them edges. */
  #edge(): string {
    let digits = "";
    for (let limbs = 1 + this.#below(4); limbs > 0; limbs--)
      digits += this.#random() < 0.7 ? this.#pick(EDGES).padStart(16, "0") : this.bytes(8);
    return digits;
  }

  #operation(code: string, change: number): void {
    this.#code += code;
    this.#height += change;
  }

  #push(value: string): void {
    this.#operation(this.#pushed(value), 1);
  }

  #pushed(value: string): string {
    const digits = value.length & 1 ? `0${value}` : value;
    return (0x5f + digits.length / 2).toString(16) + digits;
  }

  #small(): string {
    return this.#pushed(this.#below(200).toString(16));
  }

  #value(): string {
    const kind = this.#below(14);
    if (kind >= 12) return this.#edge();
    if (kind < 4) return this.#below(300).toString(16);
    if (kind < 5) return "ff".repeat(32);
    if (kind < 6) return `80${"00".repeat(31)}`;
    if (kind < 7) return "ff".repeat(1 + this.#below(31));
    if (kind < 8) return `01${"00".repeat(this.#below(31))}`;
    return this.bytes(kind < 10 ? 1 + this.#below(9) : 32);
  }

  /** Random bytes as hex digits. */
  bytes(count: number): string {
    let digits = "";
    for (let i = 0; i < count; i++) digits += this.#below(256).toString(16).padStart(2, "0");
    return digits;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
}
