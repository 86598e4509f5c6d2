// Stands for `kairn`, `npm` and `docker` while command blocks of the documentation run: what goes on running goes to the background once
// it is ready, and nothing is fetched from elsewhere.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [name, ...args] = process.argv.slice(2);
const { DOC_PROGRAM, DOC_PIDS, DOC_MODULES } = process.env;
const runs = { kairn, npm, docker };
runs[name](args);

function kairn(given) {
  if (!staysUp(given)) {
    const { status } = spawnSync(process.execPath, [DOC_PROGRAM, ...given], { stdio: "inherit" });
    process.exit(status ?? 1);
  }
  const log = `${DOC_PIDS}.${Date.now()}.log`;
  const out = openSync(log, "a");
  const child = spawn(process.execPath, [DOC_PROGRAM, ...given], {
    detached: true,
    stdio: ["ignore", out, out],
  });
  appendFileSync(DOC_PIDS, `${child.pid}\n`);
  child.once("exit", (code) => fail(`kairn ${given[0]} ended with ${code}:\n${readFileSync(log, "utf8")}`));
  const timer = setInterval(() => {
    if (readFileSync(log, "utf8") === "") return;
    clearInterval(timer);
    child.unref();
    child.removeAllListeners("exit");
  }, 50);
}

/** Whether a command goes on until it is interrupted. */
function staysUp([command, ...flags]) {
  if (command === "bootnode") return !flags.some((flag) => ["--genkey", "--writeaddress"].includes(flag));
  return command === "dev" || command === "node";
}

/** Packages are there already: those of the tests. */
function npm([command, ...packages]) {
  if (command === "init") return writeFileSync("package.json", '{"name":"guestbook","version":"1.0.0"}');
  if (command !== "install") return fail(`npm ${command} is not stood in for`);
  for (const name of packages) if (!existsSync(join(DOC_MODULES, name))) fail(`there is no package ${name}`);
  if (!existsSync("node_modules")) symlinkSync(DOC_MODULES, "node_modules", "junction");
}

/** What the container would run, on this machine's own address. */
function docker(given) {
  const [, ...command] = given.slice(given.indexOf("IMAGE"));
  if (command.shift() !== "kairn") return fail("the image runs kairn");
  kairn(command.map((argument) => argument.replace("0.0.0.0", "127.0.0.1")));
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
