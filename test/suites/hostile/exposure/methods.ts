import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKairn } from "../../../e2e/kairn-process.ts";
import { overWebSocket } from "../keys/attacked-node.ts";
import { hold } from "../row.ts";
import { declared, overHttp, overIpc, withNode } from "./calls.ts";

/** Calls every method that is not served, and the same name in an unknown module. */
export function noOracle(): Promise<string> {
  return withNode(["--rpcapi", "eth,debug,net"], async (node) => {
    const served = new Set((await declared(overHttp, node)).map(({ name }) => name));
    const hidden = (await declared(overIpc, node))
      .map(({ name }) => name)
      .filter((name) => !served.has(name));
    for (const name of hidden) {
      const { code, message, data } = (await overHttp(node, name)).error ?? {};
      // HTTP carries no subscriptions of any module, known or not.
      const isEvents = /_(un)?subscribe$/.test(name);
      hold(isEvents || code === -32601, `${name}: ${code}`);
      hold(
        isEvents || message === `the method ${name} does not exist/is not available`,
        `${name}: ${message}`,
      );
      const named = /Did you mean (\S+)\?/.exec(data?.hint ?? "")?.[1];
      hold(named === undefined || served.has(named), `${name}: hint names ${named}`);
      const module = name.slice(0, name.indexOf("_"));
      if (["eth", "debug", "net", "rpc"].includes(module)) continue;
      const unknown = `${"q".repeat(module.length)}${name.slice(module.length)}`;
      const answerTo = async (asked: string) =>
        JSON.stringify(await overHttp(node, asked))
          .replace(asked, "METHOD")
          .replace(`module ${asked.slice(0, asked.indexOf("_"))} `, "module MODULE ");
      const answers = [await answerTo(name), await answerTo(unknown)];
      hold(answers[0] === answers[1], `${answers[0]} is not ${answers[1]}`);
    }
    hold(hidden.includes("debug_startPProf") && hidden.includes("personal_sign"), "too much is served");
    return `${hidden.length} hidden methods look like unknown ones`;
  });
}

/** Methods that affect the whole process: its memory, its log, its database. */
const OF_THE_PROCESS: readonly (readonly [string, ...unknown[]])[] = [
  ["debug_freeOSMemory"],
  ["debug_setGCPercent", 100],
  ["debug_verbosity", 3],
  ["debug_verbosityByName", "rpc", 3],
  ["debug_vmodule", "rpc=3"],
  ["debug_chaindbCompact"],
];

/** Served on loopback like in the reference; on other addresses only if explicitly enabled. */
export async function processMethods(): Promise<string> {
  const safe = ["--rpcapi", "eth,debug", "--rpc.unsafe-debug.disable"];
  for (const [flags, isServed] of [
    [["--rpcapi", "eth,debug"], true],
    [safe, false],
  ] as const)
    await withNode(flags, async (node) => {
      for (const [method, ...params] of OF_THE_PROCESS) {
        const { error } = await overHttp(node, method, params);
        hold((error?.code === -32601) !== isServed, `${flags}: ${method}: ${JSON.stringify(error)}`);
        const own = await overIpc(node, method, params);
        hold(own.error === undefined, `IPC: ${method}: ${JSON.stringify(own.error)}`);
      }
    });
  const bare = ["dev", "--ephemeral", "--accounts", "0", "--rpcport", "0", "--rpcaddr", "0.0.0.0"];
  for (const module of ["debug", "miner", "personal"]) {
    const { code, stderr } = await runKairn([...bare, "--rpcapi", `eth,${module}`]);
    hold(code === 78 && stderr.includes(module), `${module} on 0.0.0.0: ${code} ${stderr}`);
  }
  return `${OF_THE_PROCESS.length} methods on loopback and IPC alone; 3 modules refused on 0.0.0.0`;
}

/** Methods for files, listeners and code execution, over each transport. */
export function noHost(): Promise<string> {
  return withNode([], async (node) => {
    const folder = join(node.dataDir, "dumps");
    const target = join(node.dataDir, "target");
    const calls: readonly (readonly [string, readonly unknown[]])[] = [
      ["debug_startPProf", ["127.0.0.1", 6061]],
      ["debug_writeMemProfile", [target]],
      ["debug_startCPUProfile", [target]],
      ["debug_startGoTrace", [target]],
      ["debug_traceBlockFromFile", ["/etc/passwd"]],
      ["admin_exportChain", [target]],
      ["admin_importChain", ["/etc/passwd"]],
      ["admin_startWS", ["0.0.0.0", 0]],
      ["admin_stopWS", []],
      ["admin_datadir", []],
    ];
    for (const [method, params] of calls) {
      hold((await overHttp(node, method, params)).error?.code === -32601, `${method} is served over HTTP`);
      const { error } = await overWebSocket(node.endpoints.ws, method, ...params);
      hold(error?.code === -32601, `${method} is served over WebSocket`);
    }
    mkdirSync(folder, { recursive: true });
    symlinkSync(target, join(folder, "link"));
    writeFileSync(join(folder, "there"), "old");
    const names = [
      target,
      "../target",
      "link",
      "there",
      "a/b",
      ".x",
      "x\0",
      "",
      "x".repeat(300),
      `${folder}/../target`,
    ];
    for (const method of ["admin_exportChain", "debug_writeMemProfile", "debug_writeBlockProfile"])
      for (const name of names)
        hold((await overIpc(node, method, [name])).error?.code === -32000, `${method} accepted ${name}`);
    hold(!existsSync(target) && readFileSync(join(folder, "there"), "utf8") === "old", "a file was written");
    for (const host of ["0.0.0.0", "::", "localhost.example.org"])
      hold(
        (await overIpc(node, "debug_startPProf", [host, 6061])).error?.code === -32000,
        `inspector on ${host}`,
      );
    await overIpc(node, "admin_stopWS");
    hold(
      (await overIpc(node, "admin_startWS", ["0.0.0.0", 0])).error?.code === -32000,
      "a listener was widened",
    );
    const written = (await overIpc(node, "admin_exportChain", ["chain.rlp"])).result;
    hold(
      written === true && (statSync(join(folder, "chain.rlp")).mode & 0o777) === 0o600,
      "no file for its owner",
    );
    return `${calls.length} calls unknown over HTTP and WebSocket, ${names.length * 3} names refused over IPC`;
  });
}
