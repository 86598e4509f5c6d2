// Loads the built program: one script, with the code cache written at build time, which halves the time to the first response.
// CommonJS, because Node's loader of ES modules accepts no code cache and costs 10 ms itself.
const { closeSync, existsSync, fstatSync, openSync, readSync } = require("node:fs");
const { createRequire, isBuiltin } = require("node:module");
const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { Script } = require("node:vm");

/** The bundle that `scripts/build.mjs` makes. */
const programFile = join(__dirname, "..", "dist", "program.cjs");

/** The code cache of a bundle. A V8 other than the one that wrote it rejects it and compiles. */
const codeCacheOf = (file) => `${file}.cache`;

/**
 * V8's settings, by how long the program has run. They are set before anything is compiled, because V8 rejects a code cache that was
 * written under other flags.
 *
 * - `interrupt-budget`: bytes of bytecode that a function runs before V8 optimises it. In its first seconds a node mostly runs code
 *   that it needs once, partly on inputs that are not typical: the budget is six times V8's default. Later it is three times the
 *   default: optimising pays only for load that lasts, and costs threads a quarter of the CPU time of the first thousands of transactions.
 *   Nodes other than development chains have V8's default in between: until they are optimised, validators put less into each block.
 * - `semi-space-growth-factor`: how fast the space for new objects grows when many survive. Those of a start do, so the space would
 *   grow to 8 MiB, of which an idle node needs one.
 * - `max-inlined-bytecode-size-cumulative`: bytes of bytecode that are inlined into a function when it is optimised. With half of V8's
 *   default, optimising costs a third less, and the code is as fast.
 */
const STARTING = {
  "interrupt-budget": 400_000,
  "semi-space-growth-factor": 1,
  "max-inlined-bytecode-size-cumulative": 500,
};
const STARTED = { ...STARTING, "semi-space-growth-factor": 2 };
const DEFAULTS = {
  "interrupt-budget": 67_584,
  "semi-space-growth-factor": 2,
  "max-inlined-bytecode-size-cumulative": 920,
};
const BUSY = { ...STARTED, "interrupt-budget": DEFAULTS["interrupt-budget"] };
const GROWN = { ...STARTED, "interrupt-budget": 200_000 };
/** Settings after the start, each up to a total CPU time of all threads. */
const DEV_STAGES = [
  { untilMs: 6_000, settings: STARTED },
  { untilMs: Number.POSITIVE_INFINITY, settings: GROWN },
];
/** Those of all programs but development chains. */
const STAGES = [{ untilMs: 1_500, settings: STARTED }, { untilMs: 6_000, settings: BUSY }, ...DEV_STAGES.slice(1)];
const CHECK_INTERVAL_MS = 500;
/** Modules that Node's own modules load lazily, on first use. */
const LOADED_LAZILY = { "node:net": ["node:cluster"] };
/** Modules of Node that most starts do not need: they are loaded when a member is first read. The program imports members only. */
const LOADED_ON_USE = ["node:dns/promises", "node:http", "node:tls", "node:worker_threads"];
let settings = DEFAULTS;

/** Sets the flags that differ. @returns the previous settings */
function changeSettings(next) {
  const before = settings;
  const changed = Object.keys(next).filter((name) => next[name] !== before[name]);
  if (changed.length > 0) setFlagsFromString(changed.map((name) => `--${name}=${next[name]}`).join(" "));
  settings = next;
  return before;
}

/** Compiles the program, from the code cache if there is one. `run` starts it with the process's arguments. */
function loadProgram(file = programFile) {
  void [process.stdout, process.stderr]; // loads modules of Node, see `requireFrom`
  changeSettings(STARTING);
  const script = new Script(...readProgram(file));
  const run = () => {
    const module = { exports: {} };
    script.runInThisContext()(module.exports, requireFrom(file), module, file, dirname(file));
  };
  return { script, run };
}

/**
 * `require` for the program. While a flag differs, V8 rejects Node's code cache of its own modules and compiles them, which takes a
 * tenth of the CPU time of a start. They are therefore loaded under V8's default settings.
 */
function requireFrom(file) {
  const require = createRequire(file);
  const builtins = new Map();
  const builtin = (name) => {
    const before = changeSettings(DEFAULTS);
    try {
      for (const later of LOADED_LAZILY[name] ?? []) require(later);
      return require(name);
    } finally {
      changeSettings(before);
    }
  };
  const load = (name) => {
    if (!isBuiltin(name)) return require(name);
    if (!builtins.has(name)) builtins.set(name, LOADED_ON_USE.includes(name) ? onUse(name) : builtin(name));
    return builtins.get(name);
  };
  const onUse = (name) => {
    let loaded;
    return new Proxy({}, { get: (_, member) => (loaded ??= builtin(name))[member] });
  };
  return Object.assign(load, require);
}

/** Runs the program with the process's arguments. */
function startProgram() {
  loadProgram().run();
  optimiseOnceGrown();
}

/** Changes the settings once the program has started, and again after some CPU time. The timer does not keep the process alive. */
function optimiseOnceGrown(command = process.argv[2]) {
  const stages = command === "dev" ? DEV_STAGES : STAGES;
  changeSettings(STARTING);
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    const { settings: wanted } = stages.find(({ untilMs }) => (user + system) / 1000 < untilMs);
    changeSettings(wanted);
    if (wanted === GROWN) clearInterval(timer);
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** The arguments of `Script`. Both files are read into the same memory, since a page costs most when it is first used. */
function readProgram(file) {
  const files = [file, codeCacheOf(file)].filter(existsSync).map((path) => openSync(path, "r"));
  const sizes = files.map((opened) => fstatSync(opened).size);
  const memory = Buffer.allocUnsafeSlow(Math.max(...sizes));
  const read = (i) => memory.subarray(0, readSync(files[i], memory, 0, sizes[i], 0));
  // The bundler escapes everything that is not ASCII, so the text can be read as Latin-1, which V8 keeps outside its heap: another
  // 2.5 MB in the heap would trigger a garbage collection during the start.
  const source = read(0).toString("latin1");
  const cachedData = files.length > 1 ? read(1) : undefined;
  for (const opened of files) closeSync(opened);
  return [source, { filename: programFile, cachedData }]; // the code cache contains the name, for stack traces
}

module.exports = { codeCacheOf, loadProgram, optimiseOnceGrown, programFile, startProgram };
