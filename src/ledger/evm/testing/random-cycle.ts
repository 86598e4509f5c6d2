const BINARY = "01 01 01 02 03 03 04 05 06 07 0b 10 11 12 13 14 16 16 17 18 1a 1b 1c 1d".split(" ");
const COMPARISONS = "10 11 12 13 14".split(" ");
const NULLARY = "30 33 34 36 38 3a 3d 42 46 58 59 5a".split(" ");
const LEAVES = ["60006000fd", "fe", "00", "60006000f3"];
/** Values near which a loop counter exceeds a limb, or underflows. */
const EDGES = ["00", "01", "ffffffffffffffff", "fffffffffffffffe", "010000000000000000", "7fffffffffffffff"];
/** Maximum number of words that a program keeps on the stack. */
const MAX_WORDS = 7;

/**
 * Generates loops that work on the stack: counters and sums that change with each iteration, different paths, internal function
 * calls, jumps into the middle, exits and `continue` anywhere; sometimes an iteration changes the stack height. All words are
 * returned at the end.
 */
export class CycleWriter {
  readonly #random: () => number;
  #code = "";
  #words = 0;
  #labels = 0;
  /** Labels of the functions, which take and return one word. */
  #functions: number[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A new program as hex digits. */
  write(): string {
    this.#code = "";
    this.#functions = [];
    this.#labels = 0;
    this.#words = 2 + this.#below(MAX_WORDS - 1);
    if (this.#chance(0.04)) this.#fill();
    for (let i = this.#chance(0.1) ? 1 : 0; i < this.#words; i++) this.#code += this.#constant();
    for (let loops = 1 + this.#below(2); loops > 0; loops--) this.#loop(2);
    for (let i = 0; i < this.#words; i++) this.#code += `${pushed((i * 32).toString(16))}52`;
    if (this.#chance(0.9)) this.#code += `${pushed((this.#words * 32).toString(16))}6000f3`;
    for (const label of this.#functions) {
      this.#mark(label);
      this.#code += `${this.#pick(["600101", "8002", "61ffff16", "80600016", "15"])}`;
      if (this.#chance(0.4)) this.#guard(2);
      this.#code += "9056";
    }
    return this.#linked();
  }

  /** Resolves labels: `{0012` defines one, `<0012` is the operand of a push. */
  #linked(): string {
    const places: Map<string, string> = new Map();
    let size = 0;
    for (let i = 0; i < this.#code.length; i += this.#pieceAt(i)) {
      const label = this.#code.slice(i + 1, i + 5);
      if (this.#code[i] === "{") places.set(label, (size / 2).toString(16).padStart(4, "0"));
      else size += this.#code[i] === "<" ? 4 : 2;
    }
    let linked = "";
    for (let i = 0; i < this.#code.length; i += this.#pieceAt(i)) {
      if (this.#code[i] === "<") linked += places.get(this.#code.slice(i + 1, i + 5));
      else if (this.#code[i] !== "{") linked += this.#code.slice(i, i + 2);
    }
    return linked;
  }

  /** Length of the label or byte at an index, characters. */
  #pieceAt(index: number): number {
    return "{<".includes(this.#code[index] as string) ? 5 : 2;
  }

  /** Fills the stack nearly up to its limit. */
  #fill(): void {
    const label = this.#newLabel();
    this.#code += pushed((1016 - this.#words + this.#below(8)).toString(16));
    this.#mark(label);
    this.#code += `60019003${dup(0)}${dup(0)}${push(label)}57`;
  }

  #newLabel(): number {
    return this.#labels++;
  }

  #mark(label: number): void {
    this.#code += marked(label);
  }

  /** A loop around some snippets, counted by one of the words. @param depth - maximum nesting inside it */
  #loop(depth: number): void {
    const counter = this.#below(this.#words);
    const [head, middle, end] = [this.#newLabel(), this.#newLabel(), this.#newLabel()];
    if (this.#chance(0.7))
      this.#assign(counter, this.#chance(0.7) ? this.#small(20) : pushed(this.#pick(EDGES)));
    const form = this.#below(3);
    if (form === 2 || this.#chance(0.1)) this.#code += `${push(middle)}56`;
    this.#mark(head);
    if (form === 0) {
      this.#code += `${this.#condition(counter)}${this.#chance(0.5) ? "15" : ""}${push(end)}57`;
    }
    for (let pieces = 1 + this.#below(4); pieces > 0; pieces--) this.#piece(depth, head, end);
    this.#mark(middle);
    for (let pieces = this.#below(3); pieces > 0; pieces--) this.#piece(depth, head, end);
    if (this.#chance(0.03)) this.#code += this.#pick(["50", "80", "6000", "5050"]);
    const step = this.#pick(["01", "01", "02", "ff"]);
    if (this.#chance(0.95))
      this.#assign(
        counter,
        `60${step}${dup(counter + 1)}${this.#chance(0.6) ? `9003${this.#chance(0.2) ? "19" : ""}` : "01"}`,
      );
    if (form === 0) this.#code += `${push(head)}56`;
    else this.#code += `${this.#condition(counter)}${push(head)}57`;
    this.#mark(end);
  }

  /** The loop condition: mostly until the counter is zero or reaches a bound. */
  #condition(counter: number): string {
    const kind = this.#below(5);
    if (kind < 2) return dup(counter);
    if (kind < 3) return `${this.#small(30)}${dup(counter + 1)}${this.#pick(COMPARISONS)}`;
    if (kind < 4) return `${dup(this.#below(this.#words))}${dup(counter + 1)}${this.#pick(COMPARISONS)}`;
    return this.#value(0, 2);
  }

  #piece(depth: number, head: number, end: number): void {
    const kind = this.#below(24);
    const word = this.#below(this.#words);
    if (kind < 8) this.#assign(word, this.#value(0, 3));
    else if (kind < 9) this.#assign(word, `${dup(word)}${dup(word + 1)}01`);
    else if (kind < 12)
      this.#code += `${this.#value(0, 2)}${this.#place(1)}${this.#pick(["52", "52", "53"])}`;
    else if (kind < 13) this.#code += `${this.#value(0, 2)}${this.#small(4)}55`;
    else if (kind < 14) this.#code += swap(1 + this.#below(this.#words - 1));
    else if (kind < 16) this.#skip(depth, head, end);
    else if (kind < 18) this.#guard(0);
    else if (kind < 19) this.#code += `${this.#value(0, 2)}${push(end)}57`;
    else if (kind < 20) this.#code += `${this.#value(0, 2)}${push(head)}57`;
    else if (kind < 22) this.#call(word);
    else if (kind < 23 && depth > 0) this.#loop(depth - 1);
    else this.#assign(word, dup(this.#below(this.#words)));
  }

  /** Replaces a word by the value that some code pushes. */
  #assign(word: number, code: string): void {
    this.#code += `${code}${swap(word + 1)}50`;
  }

  /** Snippets that are executed if a value is not zero, or if it is. */
  #skip(depth: number, head: number, end: number): void {
    const label = this.#newLabel();
    this.#code += `${this.#value(0, 2)}${this.#chance(0.5) ? "15" : ""}${push(label)}57`;
    for (let pieces = 1 + this.#below(2); pieces > 0; pieces--) this.#piece(depth - 1, head, end);
    this.#mark(label);
  }

  /** Ends the frame if a value is zero. */
  #guard(above: number): void {
    const label = this.#newLabel();
    const isRare = this.#chance(0.7);
    this.#code += `${isRare ? `${this.#value(above, 1)}15601f16` : this.#value(above, 2)}15${push(label)}57`;
    this.#code += this.#pick(LEAVES);
    this.#mark(label);
  }

  /** Calls a function, whose result replaces a word. */
  #call(word: number): void {
    const back = this.#newLabel();
    if (this.#functions.length === 0 || this.#chance(0.4)) this.#functions.push(this.#newLabel());
    const callee = this.#pick(this.#functions);
    const code = `${push(back)}${this.#value(1, 2)}${push(callee)}56${marked(back)}`;
    this.#assign(word, code);
  }

  /** Code that pushes a value. @param above - number of words above those that the program keeps */
  #value(above: number, depth: number): string {
    const kind = this.#below(depth > 0 ? 20 : 8);
    if (kind < 5) return dup(this.#below(this.#words) + above);
    if (kind < 7) return this.#chance(0.7) ? this.#small(300) : this.#constant();
    if (kind < 8) return this.#pick(NULLARY);
    const first = this.#value(above, depth - 1);
    if (kind < 10) return `${first}${this.#pick(["15", "19", "15"])}`;
    if (kind < 11) return `${this.#place(above)}51`;
    if (kind < 12) return `${this.#small(4)}54`;
    if (kind < 13) return `${first}61ffff16`;
    if (kind < 14) return `${first}${this.#small(300)}${this.#pick(["1b", "1c", "1d", "1a", "0b"])}`;
    if (kind < 15) return `${this.#small(64)}${this.#small(64)}20`;
    return `${first}${this.#value(above + 1, depth - 1)}${this.#pick(BINARY)}`;
  }

  /** Code that pushes an offset in memory. */
  #place(above: number): string {
    const kind = this.#below(10);
    if (kind < 4) return this.#small(200);
    if (kind < 9) return `${dup(this.#below(this.#words) + above)}6101ff16`;
    return dup(this.#below(this.#words) + above);
  }

  #constant(): string {
    const kind = this.#below(4);
    if (kind < 2) return this.#small(40);
    if (kind < 3) return pushed(this.#pick(EDGES));
    return pushed(Array.from({ length: 32 }, () => this.#below(256).toString(16).padStart(2, "0")).join(""));
  }

  #small(bound: number): string {
    return pushed(this.#below(bound).toString(16));
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
}

function pushed(value: string): string {
  const digits = value.length & 1 ? `0${value}` : value;
  return (0x5f + digits.length / 2).toString(16) + digits;
}

/** DUP of the word at a depth (0 = top). */
function dup(depth: number): string {
  return (0x80 + depth).toString(16);
}

function swap(depth: number): string {
  return (0x8f + depth).toString(16);
}

/** JUMPDEST at a label. */
function marked(label: number): string {
  return `{${label.toString().padStart(4, "0")}5b`;
}

/** PUSH2 of the address of a label. */
function push(label: number): string {
  return `61<${label.toString().padStart(4, "0")}`;
}
