// `bigInt` as tracers written by a caller know it: the interface of the package big-integer (1.6.26), over the BigInt of
// the engine that runs them. The expression's value is the function.
(() => {
  "use strict";

  const MOST_PRECISE = 9007199254740992;
  const LIMB = 10000000n;
  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
  const ZERO = 0n;

  class Integer {
    #native;

    constructor(native) {
      this.#native = native;
    }

    /** The BigInt of a big integer; undefined of anything else. */
    static nativeOf(v) {
      return typeof v === "object" && v !== null && #native in v ? v.#native : undefined;
    }

    get isSmall() {
      return isPrecise(Number(of(this)));
    }

    get sign() {
      return of(this) < ZERO;
    }

    /** A number, or digits to base 10^7, the lowest first. */
    get value() {
      const native = of(this);
      if (isPrecise(Number(native))) return Number(native);
      const digits = [];
      for (let left = abs(native); left > ZERO; left /= LIMB) digits.push(Number(left % LIMB));
      return digits;
    }

    add(v) {
      return wrap(of(this) + toNative(v));
    }

    subtract(v) {
      return wrap(of(this) - toNative(v));
    }

    multiply(v) {
      return wrap(of(this) * toNative(v));
    }

    divide(v) {
      return wrap(of(this) / divisor(v));
    }

    mod(v) {
      return wrap(of(this) % divisor(v));
    }

    divmod(v) {
      return { quotient: this.divide(v), remainder: this.mod(v) };
    }

    pow(v) {
      const [base, exponent] = [of(this), toNative(v)];
      if (exponent === ZERO) return wrap(1n);
      if (base === ZERO || base === 1n) return wrap(base);
      if (base === -1n) return wrap(exponent % 2n === ZERO ? 1n : -1n);
      if (exponent < ZERO) return wrap(ZERO);
      if (!isPrecise(Number(exponent))) throw new Error(`The exponent ${exponent} is too large.`);
      return wrap(base ** exponent);
    }

    modPow(v, modulus) {
      const mod = toNative(modulus);
      if (mod === ZERO) throw new Error("Cannot take modPow with modulus 0");
      return wrap(powerOf(of(this), toNative(v), mod));
    }

    modInv(v) {
      const modulus = toNative(v);
      let [t, next, r, left] = [ZERO, 1n, modulus, abs(of(this))];
      while (left !== ZERO) {
        const q = r / left;
        [t, next, r, left] = [next, t - q * next, left, r - q * left];
      }
      if (r !== 1n) throw new Error(`${this} and ${v} are not co-prime`);
      if (t < ZERO) t += modulus;
      return wrap(of(this) < ZERO ? -t : t);
    }

    square() {
      return wrap(of(this) * of(this));
    }

    negate() {
      return wrap(-of(this));
    }

    abs() {
      return wrap(abs(of(this)));
    }

    next() {
      return wrap(of(this) + 1n);
    }

    prev() {
      return wrap(of(this) - 1n);
    }

    shiftLeft(v) {
      return wrap(of(this) << shiftOf(v));
    }

    shiftRight(v) {
      return wrap(of(this) >> shiftOf(v));
    }

    not() {
      return wrap(~of(this));
    }

    and(v) {
      return wrap(of(this) & toNative(v));
    }

    or(v) {
      return wrap(of(this) | toNative(v));
    }

    xor(v) {
      return wrap(of(this) ^ toNative(v));
    }

    compare(v) {
      if (v === Infinity) return -1;
      if (v === -Infinity) return 1;
      return order(of(this), toNative(v));
    }

    compareAbs(v) {
      return order(abs(of(this)), abs(toNative(v)));
    }

    equals(v) {
      return this.compare(v) === 0;
    }

    notEquals(v) {
      return this.compare(v) !== 0;
    }

    greater(v) {
      return this.compare(v) > 0;
    }

    lesser(v) {
      return this.compare(v) < 0;
    }

    greaterOrEquals(v) {
      return this.compare(v) >= 0;
    }

    lesserOrEquals(v) {
      return this.compare(v) <= 0;
    }

    isEven() {
      return of(this) % 2n === ZERO;
    }

    isOdd() {
      return !this.isEven();
    }

    isPositive() {
      return of(this) > ZERO;
    }

    isNegative() {
      return of(this) < ZERO;
    }

    isUnit() {
      return abs(of(this)) === 1n;
    }

    isZero() {
      return of(this) === ZERO;
    }

    isDivisibleBy(v) {
      const by = toNative(v);
      return by !== ZERO && of(this) % by === ZERO;
    }

    isPrime() {
      return isPrime(abs(of(this)));
    }

    toString(radix = 10) {
      if (typeof radix === "number" && radix >= 2 && radix <= 36) return of(this).toString(radix);
      return inBase(of(this), toNative(radix));
    }

    toJSON() {
      return this.toString();
    }

    valueOf() {
      return Number(of(this));
    }
  }

  const ALIASES = {
    add: ["plus"],
    subtract: ["minus"],
    multiply: ["times", "_multiplyBySmall"],
    divide: ["over"],
    mod: ["remainder"],
    compare: ["compareTo"],
    equals: ["eq"],
    notEquals: ["neq"],
    greater: ["gt"],
    lesser: ["lt"],
    greaterOrEquals: ["geq"],
    lesserOrEquals: ["leq"],
    isPrime: ["isProbablePrime"],
    valueOf: ["toJSNumber"],
  };
  for (const [name, others] of Object.entries(ALIASES))
    for (const other of others) Integer.prototype[other] = Integer.prototype[name];

  const of = Integer.nativeOf;

  function wrap(native) {
    return new Integer(native);
  }

  function abs(native) {
    return native < ZERO ? -native : native;
  }

  function order(a, b) {
    return a === b ? 0 : a > b ? 1 : -1;
  }

  function isPrecise(number) {
    return -MOST_PRECISE < number && number < MOST_PRECISE;
  }

  /** The native value of what a caller may mean by a number. */
  function toNative(v) {
    if (typeof v === "bigint") return v;
    if (typeof v === "number") return numberToNative(v);
    if (typeof v === "string") return textToNative(v);
    const native = of(v);
    if (native === undefined) throw new TypeError("not an integer");
    return native;
  }

  function numberToNative(v) {
    if (!isPrecise(v)) return textToNative(String(v));
    if (!Number.isInteger(v)) throw new Error(`${v} is not an integer.`);
    return BigInt(v);
  }

  function textToNative(text) {
    if (isPrecise(+text)) {
      if (Number.isInteger(+text)) return BigInt(+text);
      throw `Invalid integer: ${text}`;
    }
    const sign = text[0] === "-" ? -1n : 1n;
    const digits = withoutExponent(sign < ZERO ? text.slice(1) : text);
    if (!/^[0-9]+$/.test(digits)) throw new Error(`Invalid integer: ${digits}`);
    return sign * BigInt(digits);
  }

  function withoutExponent(text) {
    const parts = text.split(/e/i);
    if (parts.length > 2) throw new Error(`Invalid integer: ${parts.join("e")}`);
    if (parts.length < 2) return text;
    const [mantissa, exponent] = [parts[0], +parts[1]];
    if (!Number.isInteger(exponent))
      throw new Error(`Invalid integer: ${exponent} is not a valid exponent.`);
    const [whole, fraction = ""] = mantissa.split(".");
    if (exponent < fraction.length) throw new Error("Cannot include negative exponent part for integers");
    return whole + fraction + "0".repeat(exponent - fraction.length);
  }

  function divisor(v) {
    const native = toNative(v);
    if (native === ZERO) throw new Error("Cannot divide by zero");
    return native;
  }

  function shiftOf(v) {
    if (!(Math.abs(+v) <= 1e7)) throw new Error(`${v} is too large for shifting.`);
    return BigInt(Math.trunc(+v));
  }

  function powerOf(base, exponent, modulus) {
    let result = 1n;
    let square = base % modulus;
    for (let left = exponent; left > ZERO; left /= 2n) {
      if (square === ZERO) return ZERO;
      if (left % 2n === 1n) result = (result * square) % modulus;
      square = (square * square) % modulus;
    }
    return result;
  }

  /** Miller and Rabin, with bases that decide for all below 3.3 * 10^24. */
  function isPrime(n) {
    const bases = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n];
    if (n < 2n) return false;
    for (const base of bases) if (n % base === ZERO) return n === base;
    let [odd, twos] = [n - 1n, 0];
    for (; odd % 2n === ZERO; odd /= 2n) twos++;
    return bases.every((base) => {
      let x = powerOf(base, odd, n);
      if (x === 1n || x === n - 1n) return true;
      for (let i = 1; i < twos; i++) {
        x = (x * x) % n;
        if (x === n - 1n) return true;
      }
      return false;
    });
  }

  function inBase(native, base) {
    if (native === ZERO && (base === ZERO || base === 1n || base === -1n)) return "0";
    if (base === ZERO) throw new Error("Cannot convert nonzero numbers to base 0.");
    const size = Number(abs(native));
    if (base === -1n) return native < ZERO ? "10".repeat(size) : `1${"01".repeat(size - 1)}`;
    if (base === 1n) return (native < ZERO ? "-" : "") + "1".repeat(size);
    const isMinus = native < ZERO && base > ZERO;
    const digits = [];
    let left = isMinus ? -native : native;
    do {
      let digit = left % base;
      left /= base;
      if (digit < ZERO) {
        digit = abs(base - digit);
        left += 1n;
      }
      digits.push(digit < 36n ? DIGITS[Number(digit)] : `<${digit}>`);
    } while (left !== ZERO);
    return (isMinus ? "-" : "") + digits.reverse().join("");
  }

  function fromBase(text, base) {
    const sign = text[0] === "-" ? -1n : 1n;
    const radix = toNative(base);
    let value = ZERO;
    for (const [digit] of text.slice(sign < ZERO ? 1 : 0).matchAll(/<[^>]*>|[^]/g)) {
      const isBracketed = digit[0] === "<";
      const place = isBracketed ? -1 : DIGITS.indexOf(digit.toLowerCase());
      if (!isBracketed && place < 0) throw new Error(`${digit} is not a valid character`);
      if (place >= Math.abs(Number(radix)) && !(place === 1 && abs(radix) === 1n))
        throw new Error(`${digit.toLowerCase()} is not a valid digit in base ${base}.`);
      value = value * radix + (isBracketed ? toNative(digit.slice(1, -1)) : BigInt(place));
    }
    return sign * value;
  }

  function greatestCommonDivisor(a, b) {
    let [x, y] = [abs(toNative(a)), abs(toNative(b))];
    while (y !== ZERO) [x, y] = [y, x % y];
    return x;
  }

  function bigInt(v, radix) {
    if (v === undefined) return wrap(ZERO);
    if (radix !== undefined && +radix !== 10) return wrap(fromBase(String(v), radix));
    return v instanceof Integer ? v : wrap(toNative(v));
  }

  for (let i = 0; i < 1000; i++) {
    bigInt[i] = wrap(BigInt(i));
    if (i > 0) bigInt[-i] = wrap(BigInt(-i));
  }
  return Object.assign(bigInt, {
    one: bigInt[1],
    zero: bigInt[0],
    minusOne: bigInt[-1],
    max: (a, b) => (bigInt(a).greater(b) ? bigInt(a) : bigInt(b)),
    min: (a, b) => (bigInt(a).lesser(b) ? bigInt(a) : bigInt(b)),
    gcd: (a, b) => wrap(greatestCommonDivisor(a, b)),
    lcm: (a, b) => wrap((abs(toNative(a)) / greatestCommonDivisor(a, b)) * abs(toNative(b))),
    isInstance: (x) => x instanceof Integer,
    randBetween(a, b) {
      const [low, high] = [bigInt.min(a, b), bigInt.max(a, b)];
      const range = of(high) - of(low) + 1n;
      const thousandths = BigInt(Math.floor(Math.random() * MOST_PRECISE));
      return wrap(of(low) + (range * thousandths) / BigInt(MOST_PRECISE));
    },
    fromArray(digits, base = 10, isNegative = false) {
      const value = digits.reduce((sum, digit) => sum * toNative(base) + toNative(digit), ZERO);
      return wrap(isNegative ? -value : value);
    },
  });
})();
