// How the built program is loaded: as one script whose compiled code was kept at build time, which halves the time to
// the first answer. CommonJS, because Node's loader of ES modules cannot take such code and costs 10 ms itself.
const { readFileSync } = require("node:fs");
const { createRequire, isBuiltin } = require("node:module");
const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { Script } = require("node:vm");

/** The bundle that `scripts/build.mjs` makes. */
const programFile = join(__dirname, "..", "dist", "program.cjs");

/** Where the compiled code of a bundle is kept. Another V8 than the one that made it refuses it and compiles. */
const codeCacheOf = (file) => `${file}.cache`;

/**
 * V8's settings, by how long the program has run. Set before anything is compiled, because kept code belongs to the flags that it was
 * made with.
 *
 * - `interrupt-budget`: bytes of bytecode that a function runs before V8 optimises it. A node's first seconds go into what it uses
 *   once, in part for inputs that do not stay: the budget is six times V8's own then. V8's own follows, so that the work which the node
 *   was started for is optimised soon. Later it is three times that: what comes then pays only if it lasts.
 * - `semi-space-growth-factor`: by how much the space for new objects grows when many survive. What a start makes does, so that the
 *   space would have grown to 8 MiB by its end, of which an idle node needs one.
 * - `max-inlined-bytecode-size-cumulative`: bytes of bytecode that a function takes over from others when it is optimised. With half of
 *   V8's own, optimising costs a third less, and what comes of it runs as fast.
 */
const STARTING = {
  "interrupt-budget": 400_000,
  "semi-space-growth-factor": 1,
  "max-inlined-bytecode-size-cumulative": 500,
};
const STARTED = { ...STARTING, "semi-space-growth-factor": 2 };
const OWN = {
  "interrupt-budget": 67_584,
  "semi-space-growth-factor": 2,
  "max-inlined-bytecode-size-cumulative": 920,
};
const BUSY = { ...STARTED, "interrupt-budget": OWN["interrupt-budget"] };
const GROWN = { ...STARTED, "interrupt-budget": 200_000 };
/** Settings after the start, by the processor time of all threads up to which they hold. */
const STAGES = [
  { untilMs: 1_500, settings: STARTED },
  { untilMs: 6_000, settings: BUSY },
  { untilMs: Number.POSITIVE_INFINITY, settings: GROWN },
];
const LOOK_INTERVAL_MS = 500;
/** Modules that Node's own load later, when they are used. */
const LOADED_LATER = { "node:net": ["node:cluster"] };
let settings = OWN;

/** Sets those that differ. @returns the settings before */
function changeSettings(next) {
  const before = settings;
  for (const [name, value] of Object.entries(next))
    if (value !== before[name]) setFlagsFromString(`--${name}=${value}`);
  settings = next;
  return before;
}

/** Compiles the program, with the kept code where there is some. `run` starts it with the process's arguments. */
function loadProgram(file = programFile) {
  void [process.stdout, process.stderr]; // are modules of Node, see `requireFrom`
  changeSettings(STARTING);
  // The bundler escapes all that is not ASCII. As it is read, the text lies outside V8's heap: another 2.5 MB there would
  // have it collect garbage during the start.
  const source = readFileSync(file, "latin1");
  const script = new Script(source, {
    filename: programFile, // kept code remembers the name, for stack traces
    cachedData: readIfThere(codeCacheOf(file)),
  });
  const run = () => {
    const module = { exports: {} };
    script.runInThisContext()(module.exports, requireFrom(file), module, file, dirname(file));
  };
  return { script, run };
}

/**
 * `require` for the program. V8 refuses the code that Node keeps of its own modules while a flag differs, and compiles them
 * anew, which is a tenth of the processor time of a start: they are loaded under V8's own settings.
 */
function requireFrom(file) {
  const require = createRequire(file);
  const builtins = new Map();
  const builtin = (name) => {
    const before = changeSettings(OWN);
    try {
      for (const later of LOADED_LATER[name] ?? []) require(later);
      return require(name);
    } finally {
      changeSettings(before);
    }
  };
  const load = (name) => {
    if (!isBuiltin(name)) return require(name);
    if (!builtins.has(name)) builtins.set(name, builtin(name));
    return builtins.get(name);
  };
  return Object.assign(load, require);
}

/** Runs the program with the process's arguments. */
function startProgram() {
  loadProgram().run();
  optimiseOnceGrown();
}

/** Changes the settings when the program has started, and when it has worked for a while. The timer keeps no process alive. */
function optimiseOnceGrown() {
  changeSettings(STARTING);
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    const { settings: wanted } = STAGES.find(({ untilMs }) => (user + system) / 1000 < untilMs);
    changeSettings(wanted);
    if (wanted === GROWN) clearInterval(timer);
  }, LOOK_INTERVAL_MS);
  timer.unref();
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { codeCacheOf, loadProgram, optimiseOnceGrown, programFile, startProgram };
