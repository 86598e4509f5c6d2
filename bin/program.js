// How the built program is loaded: as one script whose compiled code was kept at build time, which halves the time to
// the first answer. CommonJS, because Node's loader of ES modules cannot take such code and costs 10 ms itself.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { Script } = require("node:vm");

/** The bundle that `scripts/build.mjs` makes. */
const programFile = join(__dirname, "..", "dist", "program.cjs");

/** Where the compiled code of a bundle is kept. Another V8 than the one that made it refuses it and compiles. */
const codeCacheOf = (file) => `${file}.cache`;

/**
 * Bytes of bytecode that a function runs before V8 optimises it; 67,584 by default. A node's first seconds go into
 * optimising what they use, in part for inputs that do not stay. With six times as much, 6,000 transfers after a start cost a
 * fifth less processor time, 20,000 calls a fifth more, and later there is no difference. Set before anything is compiled,
 * because kept code belongs to the flags that it was made with.
 */
const INTERRUPT_BUDGET = 400_000;

/** Compiles the program, with the kept code where there is some. `run` starts it with the process's arguments. */
function loadProgram(file = programFile) {
  setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
  const source = readFileSync(file, "latin1"); // the bundler escapes all that is not ASCII
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: programFile, // kept code remembers the name, for stack traces
    cachedData: readIfThere(codeCacheOf(file)),
  });
  const run = () => {
    const module = { exports: {} };
    script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  };
  return { script, run };
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { codeCacheOf, loadProgram, programFile };
