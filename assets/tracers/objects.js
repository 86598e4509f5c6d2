// What a tracer written by a caller finds in its world, and how the node calls it. The expression's value takes
// the one function that leads outside, the memory both sides see, and `bigInt`.
((outside, shared, bigInt) => {
  "use strict";

  const registers = new Float64Array(shared, 0, 16);
  const words = new BigUint64Array(shared, 128, 4);
  const bytes = new Uint8Array(shared, 160, 32);
  // Places in the registers, and what can be asked for: the same as in protocol.ts.
  const R = { done: 0, pc: 1, gas: 2, cost: 3, depth: 4, refund: 5, op: 6, height: 7, failed: 8, a: 9, b: 10, out: 11, what: 12, small: 13 };
  const ASK = {
    fail: 0, opName: 1, error: 2, peek: 3, memory: 4, memoryWord: 5, caller: 6, address: 7, value: 8, input: 9,
    balance: 10, nonce: 11, code: 12, slot: 13, exists: 14, contract: 15, contract2: 16, frameType: 17, frameFrom: 18,
    frameTo: 19, frameInput: 20, frameGas: 21, frameValue: 22, exitGas: 23, exitOutput: 24, exitError: 25,
    context: 26, contextFrom: 27, contextTo: 28, contextInput: 29, contextOutput: 30,
  };

  const { stringify, parse } = JSON;
  const evaluate = globalThis.eval;
  const text = String;
  const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

  /** Asks the node; numbers, words and addresses go by the shared memory. */
  function ask(what, value) {
    registers[R.what] = what;
    return outside(value);
  }

  /** A buffer of the node's. */
  const buffer = (what) => new Uint8Array(ask(what));
  const number = (what) => (ask(what), registers[R.out]);

  /** The word that the node has left, as a big integer. */
  function word(what) {
    registers[R.small] = -1;
    ask(what);
    if (registers[R.small] >= 0) return bigInt(registers[R.small]);
    return bigInt((words[3] << 192n) | (words[2] << 128n) | (words[1] << 64n) | words[0]);
  }

  /** The integer that the reference reads from an argument: 0 for all that is no number. */
  function integer(value) {
    return typeof value === "number" && value === value ? Math.max(-2147483648, Math.min(2147483647, Math.trunc(value))) : 0;
  }

  /** Leaves the last bytes of an argument for the node, as a word; what is no buffer has none. */
  function give(value, size = 32) {
    bytes.fill(0);
    if (!(value instanceof Uint8Array)) return;
    const tail = value.subarray(Math.max(0, value.length - size));
    bytes.set(tail, 32 - tail.length);
  }

  function giveAddress(value) {
    give(typeof value === "string" ? hexToBytes(value) : value, 20);
  }

  function hexToBytes(value) {
    let digits = /^0x/i.test(value) ? value.slice(2) : value;
    if (digits.length % 2 === 1) digits = `0${digits}`;
    const valid = /^(?:[0-9a-f]{2})*/i.exec(digits)[0];
    return Uint8Array.from({ length: valid.length / 2 }, (_, i) => parseInt(valid.substr(i * 2, 2), 16));
  }

  function hex(value) {
    if (!(value instanceof Uint8Array)) return "0x";
    let digits = "0x";
    for (let i = 0; i < value.length; i++) digits += HEX[value[i]];
    return digits;
  }

  /** The last bytes of a buffer or of hex digits, in a buffer of a size. */
  function fitted(value, size) {
    give(typeof value === "string" ? hexToBytes(value) : value, size);
    return bytes.slice(32 - size);
  }

  const names = [];
  const log = {
    op: {
      toNumber: () => registers[R.op],
      toString: () => (names[registers[R.op]] ??= ask(ASK.opName)),
      isPush: () => registers[R.op] >= 0x60 && registers[R.op] <= 0x7f,
    },
    stack: {
      length: () => registers[R.height],
      peek(index) {
        registers[R.a] = integer(index);
        return word(ASK.peek);
      },
    },
    memory: {
      slice(start, end) {
        registers[R.a] = integer(start);
        registers[R.b] = integer(end);
        return buffer(ASK.memory);
      },
      getUint(offset) {
        registers[R.a] = integer(offset);
        return word(ASK.memoryWord);
      },
    },
    contract: {
      getCaller: () => buffer(ASK.caller),
      getAddress: () => buffer(ASK.address),
      getValue: () => word(ASK.value),
      getInput: () => buffer(ASK.input),
    },
    getPC: () => registers[R.pc],
    getGas: () => registers[R.gas],
    getCost: () => registers[R.cost],
    getDepth: () => registers[R.depth],
    getRefund: () => registers[R.refund],
    getError: () => (registers[R.failed] ? ask(ASK.error) : undefined),
  };

  const about = (read) => (address) => (give(address, 20), read());
  const db = {
    getBalance: about(() => word(ASK.balance)),
    getNonce: about(() => number(ASK.nonce)),
    getCode: about(() => buffer(ASK.code)),
    getState(address, slot) {
      give(slot);
      words.set(new BigUint64Array(bytes.slice().buffer));
      give(address, 20);
      return buffer(ASK.slot);
    },
    exists: about(() => number(ASK.exists) === 1),
  };

  const frame = {
    getType: () => ask(ASK.frameType),
    getFrom: () => buffer(ASK.frameFrom),
    getTo: () => buffer(ASK.frameTo),
    getInput: () => buffer(ASK.frameInput),
    getGas: () => number(ASK.frameGas),
    getValue() {
      const value = word(ASK.frameValue);
      return registers[R.out] ? value : undefined;
    },
  };

  const frameResult = {
    getGasUsed: () => number(ASK.exitGas),
    getOutput: () => buffer(ASK.exitOutput),
    getError: () => ask(ASK.exitError),
  };

  const silent = () => {};
  Object.assign(globalThis, {
    bigInt,
    toHex: hex,
    toWord: (value) => fitted(value, 32),
    toAddress: (value) => fitted(value, 20),
    toContract(from, nonce) {
      giveAddress(from);
      registers[R.a] = integer(nonce);
      return buffer(ASK.contract);
    },
    toContract2(from, salt, code) {
      const creationCode = typeof code === "string" ? hexToBytes(code) : code;
      give(typeof salt === "string" ? hexToBytes(salt) : undefined);
      words.set(new BigUint64Array(bytes.slice().buffer));
      giveAddress(from);
      const copy = creationCode instanceof Uint8Array ? creationCode.slice().buffer : new ArrayBuffer(0);
      return new Uint8Array(ask(ASK.contract2, copy));
    },
    isPrecompiled(address) {
      give(address, 20);
      return bytes[31] >= 1 && bytes[31] <= 11 && bytes.subarray(0, 31).every((byte) => byte === 0);
    },
    slice(value, from, to) {
      const [start, end] = [integer(from), integer(to)];
      const isInside = value instanceof Uint8Array && start >= 0 && start <= end && end <= value.length;
      return isInside ? value.slice(start, end) : new Uint8Array(0);
    },
    print: silent,
    alert: silent,
    console: { log: silent, info: silent, warn: silent, error: silent, debug: silent },
  });
  // As the reference's engine writes a buffer.
  Object.defineProperty(Uint8Array.prototype, "toString", { value: () => "[object Uint8Array]" });

  let tracer;

  /** What an error says, with the reference's words where its engine has others. */
  function describe(error) {
    let message;
    try {
      message = text(error);
    } catch {
      return "unknown error";
    }
    return message
      .replace(/^ReferenceError: '?([^' ]+)'? is not defined$/, "ReferenceError: identifier '$1' undefined")
      .replace(/^TypeError: circular reference$/, "TypeError: cyclic input");
  }

  function guarded(action) {
    registers[R.done] = 0;
    try {
      const value = action();
      registers[R.done] = 1;
      return value;
    } catch (error) {
      ask(ASK.fail, describe(error));
    }
  }

  function invoke(name, first, second) {
    if (typeof tracer[name] !== "function")
      throw new TypeError(`${text(tracer[name])} not callable (property '${name}' of ${text(tracer)})`);
    return tracer[name](first, second);
  }

  const context = () => {
    const { gasPrice, value, ...rest } = parse(ask(ASK.context));
    return {
      ...rest,
      gasPrice: bigInt(gasPrice),
      value: bigInt(value),
      from: buffer(ASK.contextFrom),
      to: buffer(ASK.contextTo),
      input: buffer(ASK.contextInput),
      output: buffer(ASK.contextOutput),
    };
  };

  return {
    /** Makes the caller's object. @returns which of the functions it has */
    create: (code) =>
      guarded(() => {
        tracer = evaluate(`(${code})`);
        const object = Object(tracer);
        if (tracer === null || tracer === undefined)
          throw new TypeError(`cannot read property 'step' of ${tracer}`);
        return stringify(["step", "fault", "result", "enter", "exit"].filter((name) => name in object));
      }),
    step: () => guarded(() => void invoke("step", log, db)),
    fault: () => guarded(() => void invoke("fault", log, db)),
    enter: () => guarded(() => void invoke("enter", frame)),
    exit: () => guarded(() => void invoke("exit", frameResult)),
    result: () => guarded(() => text(stringify(invoke("result", context(), db)))),
  };
});
