type Operand = bigint | number | string;

/**
 * Methods that big numbers have in the Go console, so that its scripts run: `balance.plus(1)`, `balance.toFixed()`,
 * `JSON.stringify(block)`.
 * Whole results stay exact; only a division with a remainder returns a JavaScript number.
 */
const METHODS: Readonly<Record<string, (this: bigint, other?: Operand) => unknown>> = {
  plus(other) {
    return this.valueOf() + whole(other);
  },
  minus(other) {
    return this.valueOf() - whole(other);
  },
  times(other) {
    return this.valueOf() * whole(other);
  },
  div(other) {
    const divisor = whole(other);
    const value = this.valueOf();
    return value % divisor === 0n ? value / divisor : Number(value) / Number(divisor);
  },
  mod(other) {
    return this.valueOf() % whole(other);
  },
  pow(other) {
    return this.valueOf() ** whole(other);
  },
  comparedTo(other) {
    const difference = this.valueOf() - whole(other);
    return difference === 0n ? 0 : difference > 0n ? 1 : -1;
  },
  equals(other) {
    return this.valueOf() === whole(other);
  },
  gt(other) {
    return this.valueOf() > whole(other);
  },
  gte(other) {
    return this.valueOf() >= whole(other);
  },
  lt(other) {
    return this.valueOf() < whole(other);
  },
  lte(other) {
    return this.valueOf() <= whole(other);
  },
  isZero() {
    return this.valueOf() === 0n;
  },
  toNumber() {
    return Number(this.valueOf());
  },
  toFixed() {
    return this.valueOf().toString();
  },
  /** As text, so that `JSON.stringify(eth.getBlock(1))` works as in the Go console. */
  toJSON() {
    return this.valueOf().toString();
  },
};

function whole(operand: Operand | undefined): bigint {
  if (operand === undefined) throw new TypeError("a number is missing");
  return BigInt(operand);
}

/**
 * Adds the methods of the Go console's big numbers to the bigints of this realm. For the console's thread only.
 */
export function addBigNumberMethods(prototype: object): void {
  for (const [name, value] of Object.entries(METHODS))
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
}
