// Replaces `kairn`, `npm` and `docker` while command blocks of the documentation run: long-running commands move to the background
// once ready, and nothing is downloaded.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [name, ...args] = process.argv.slice(2);
const { DOC_PROGRAM, DOC_PIDS, DOC_MODULES } = process.env;
/** Output of a program that is ready. */
const READY = /Ctrl-C|listening|self=|kni:\/\//i;
const IN_THE_WAY = /is in use|used by another process/;
const runs = { kairn, npm, docker };
runs[name](args);

function kairn(given) {
  if (!staysUp(given)) {
    const { status } = spawnSync(process.execPath, [DOC_PROGRAM, ...given], { stdio: "inherit" });
    process.exit(status ?? 1);
  }
  start(given, existsSync(DOC_PIDS) ? readFileSync(DOC_PIDS, "utf8").split("\n").filter(Boolean) : []);
}

/** Starts a long-running command; programs started earlier that occupy its port or folder are stopped first, as a reader would do. */
function start(given, earlier) {
  const log = `${DOC_PIDS}.${Date.now()}.log`;
  const out = openSync(log, "a");
  const child = spawn(process.execPath, [DOC_PROGRAM, ...given], {
    detached: true,
    stdio: ["ignore", out, out],
  });
  appendFileSync(DOC_PIDS, `${child.pid}\n`);
  const said = () => readFileSync(log, "utf8");
  const timer = setInterval(() => {
    if (!READY.test(said())) return;
    clearInterval(timer);
    child.unref();
    child.removeAllListeners("exit");
  }, 50);
  child.once("exit", (code) => {
    clearInterval(timer);
    if (earlier.length === 0 || !IN_THE_WAY.test(said()))
      return fail(`kairn ${given[0]} ended with ${code}:\n${said()}`);
    for (const pid of earlier) end(Number(pid));
    return start(given, []);
  });
}

/** Interrupts a program and waits for its end. */
function end(pid) {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  try {
    for (process.kill(pid, "SIGINT"); ; process.kill(pid, 0)) Atomics.wait(waiting, 0, 0, 50);
  } catch {
    // it has exited
  }
}

/** Whether a command runs until it is interrupted. */
function staysUp([command, ...flags]) {
  if (command === "bootnode") return !flags.some((flag) => ["--genkey", "--writeaddress"].includes(flag));
  return command === "dev" || command === "node";
}

/** Packages are already installed: those of the tests. */
function npm([command, ...packages]) {
  if (command === "init") return writeFileSync("package.json", '{"name":"guestbook","version":"1.0.0"}');
  if (command !== "install") return fail(`npm ${command} is not replaced`);
  for (const name of packages) if (!existsSync(join(DOC_MODULES, name))) fail(`there is no package ${name}`);
  if (!existsSync("node_modules")) symlinkSync(DOC_MODULES, "node_modules", "junction");
}

/** Runs what the container would run, locally. */
function docker(given) {
  const [, ...command] = given.slice(given.indexOf("IMAGE"));
  if (command.shift() !== "kairn") return fail("the image runs kairn");
  kairn(command.map((argument) => argument.replace("0.0.0.0", "127.0.0.1")));
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
