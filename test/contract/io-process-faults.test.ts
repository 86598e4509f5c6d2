import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Listener } from "../../src/platform/http/listener.ts";
import { IoProcesses, type SocketTaker } from "../../src/platform/sockets/io-processes.ts";
import { LOCAL, rpcOf, turns } from "./attacked-node.ts";
import { type Site, SOCKETS, sitesIn, withFaults } from "./fault-sites.ts";

const FAULT = "a fault of the test";

/** Callbacks that are not made to fail, by the reason why none can end the main process, or the clients of another I/O process. */
const BARE = {
  "it does nothing": [
    'io-process.ts: on("SIGHUP", () => {})',
    'io-process.ts: on("SIGINT", () => {})',
    'io-process.ts: on("SIGTERM", () => {})',
    'io-process.ts: send?.("ready", () => {})',
    'io-processes.ts: on("error", () => {})',
  ],
  "it only ends its own I/O process": [
    'io-process.ts: on("disconnect", () => process.exit())',
    'io-process.ts: on("error", () => process.exit())',
    'io-processes.ts: on("error", () => this.#child.kill("SIGKILL"))',
    'io-processes.ts: on("error", (error) => { if (this.#child.pid === undefined) end(error); else this.#kill(error); // i',
    'io-processes.ts: setTimeout(() => this.#child.kill("SIGKILL"), CLOSE_MS)',
    'serve-sockets.ts: on("error", () => process.exit())',
  ],
  "it settles the promise of a start or a stop, and closes the connections of a process that has ended": [
    'io-processes.ts: once("exit", (code, signal) => end(this.#broken ?? new Error(`an I/O process ended: ${signal ?? code',
    'io-processes.ts: once("message", () => { this.#isReady = true; resolve(); })',
  ],
  "it only destroys its own socket": [
    "io-processes.ts: send(id, socket, { keepOpen: true }, (error) => { if (error !== null) remote.close(); })",
  ],
  "it starts a process, and catches what that throws": [
    "io-processes.ts: setTimeout(() => { this.#restarts.delete(timer); this.#start(Math.min(2 * delayMs, MAX_RESTART_MS));",
  ],
};

const reasons: string[] = Object.values(BARE).flat();
const sites = sitesIn(SOCKETS);
/** Callbacks of the program of an I/O process: a fault in one ends it. */
const inProgram = sites.filter(({ kind, id }) => kind === "bare" && !reasons.includes(id)).map(nameOf);
const steps = sites.filter(({ kind }) => kind === "step" || kind === "promise").map(nameOf);
const awaits = sites.filter(({ kind }) => kind === "await").map(nameOf);

function nameOf({ kind, id }: Site): string {
  return `${kind} ${id}`;
}

const faultsInProgram: Plugin = {
  name: "fault-sites",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: withFaults(relative(".", path), readFileSync(path, "utf8"), () => true),
      loader: "ts",
    }));
  },
};

const folder = mkdtempSync(join(tmpdir(), "kairn-io-faults-"));
const script = pathToFileURL(join(folder, "io-process.mjs"));

/** The flags of a process in which a callback fails whenever it is called. */
function failingAt(site: string): string[] {
  const program = `
    import { closeSync, openSync } from "node:fs";
    closeSync(2); openSync("/dev/null", "w"); // instead of the report of the fault
    globalThis.atSite = (site, step) => (...given) => {
      if (site === ${JSON.stringify(site)}) throw new Error();
      return step(...given);
    };`;
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`];
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';

/** Sends a request with a body of so many bytes, and resolves once it is answered or the connection has ended. */
async function ask(client: Socket, bytes: number): Promise<string> {
  let read = "";
  const listen = (chunk: Buffer): void => {
    read += chunk;
  };
  client.on("data", listen);
  client.write(
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
      `Content-Length: ${bytes}\r\n\r\n${CALL.padEnd(bytes)}`,
  );
  while (!client.destroyed && !read.includes('"result":"test"')) await turns(1);
  client.off("data", listen);
  return read;
}

const uncaught: unknown[] = [];
const onUncaught = (error: unknown): void => void uncaught.push(error);
/** Where a fault is to happen once in this process. */
let armed: string | undefined;

/** Called by the transformed sources in this process. */
function atSite(site: string, it: ((argument: unknown) => void) | Promise<unknown>): typeof it {
  const fails = (): boolean => {
    const isArmed = armed === site;
    if (isArmed) armed = undefined;
    return isArmed;
  };
  if (typeof it !== "function")
    return fails() ? Promise.resolve(it).then(() => Promise.reject(new Error(FAULT))) : it;
  return (argument) => {
    if (fails()) throw new Error(FAULT);
    it(argument);
  };
}

describe.skipIf(process.platform !== "linux")("a fault of I/O processes", () => {
  let others: IoProcesses;
  let listener: Listener;
  let take: SocketTaker;

  const unexpected = vi.fn();
  const start = (site: string, onFault: (error: Error) => void) =>
    new IoProcesses({ script, count: 1, execArgv: failingAt(site), onFault });

  beforeAll(async () => {
    vi.stubGlobal("atSite", atSite);
    process.prependListener("uncaughtException", onUncaught);
    process.prependListener("unhandledRejection", onUncaught);
    await build({
      ...{ entryPoints: ["src/platform/sockets/io-process.ts"], outfile: fileURLToPath(script) },
      ...{ bundle: true, platform: "node", format: "esm", logLevel: "error", plugins: [faultsInProgram] },
    });
    others = start("none", unexpected);
    await others.ready();
    const conditions = { isDue: false, isJoint: false, clocks: [], defects: [], onSlow: () => {} };
    const rpc = rpcOf(conditions, new AbortController(), { takeSocket: (socket) => take(socket) });
    listener = await rpc.listenHttp({ ...LOCAL, unsafe: true, cors: [] });
  });
  afterAll(async () => {
    await listener.close();
    await others.close();
    expect(unexpected).not.toHaveBeenCalled();
    process.off("uncaughtException", onUncaught);
    process.off("unhandledRejection", onUncaught);
    rmSync(folder, { recursive: true });
  });

  /** A client whose socket goes where `taker` says. */
  async function open(taker: SocketTaker): Promise<Socket> {
    take = taker;
    const client = connect(listener.port, "127.0.0.1").on("error", () => {});
    await once(client, "connect");
    return client;
  }

  /** Clients of another I/O process and of the main process. @returns expects that they are served */
  async function openOthers() {
    const clients: Socket[] = [];
    const expectAnswers = async (): Promise<void> => {
      for (const client of clients) expect(await ask(client, 100)).toContain('"result":"test"');
    };
    for (const taker of [others.take, () => undefined]) {
      clients.push(await open(taker));
      await expectAnswers();
    }
    return async (): Promise<void> => {
      await expectAnswers();
      for (const client of clients) client.destroy();
    };
  }

  /** Reaches every callback of an I/O process, beside other clients. @returns what ended it */
  async function attack(program: string, step?: string): Promise<readonly Error[]> {
    const faults: Error[] = [];
    const interval = vi.spyOn(globalThis, "setInterval");
    const pool = start(program, (error) => faults.push(error));
    const check = interval.mock.calls[0]?.[0] as () => void;
    interval.mockRestore();
    await pool.ready();
    const expectOthers = await openOthers();
    armed = step;
    const isOver = program !== "none" || step !== undefined;
    const [first, second] = [await open(pool.take), await open(pool.take)];
    const closed = [first, second].map((client) => new Promise((resolve) => client.once("close", resolve)));
    const answers = [await ask(second, 100), await ask(first, 1_000_000)];
    // The pipe may have been emptied as fast as it was filled.
    const isRare = program.includes('on("drain"');
    for (let i = 0; isRare && !first.destroyed && i < 50; i++) await ask(first, 1_000_000);
    check();
    first.end();
    second.resetAndDestroy();
    await Promise.all(closed);
    if (isOver) await vi.waitFor(() => expect(faults).toHaveLength(1), { timeout: 30_000 });
    else for (const answer of answers) expect(answer).toContain('"result":"test"');
    await expectOthers();
    await pool.close();
    expect([armed, uncaught]).toEqual([undefined, []]);
    return faults;
  }

  it("is injected at every callback that has no reason why it needs none", () => {
    const bare = sites.filter(({ kind }) => kind === "bare").map(({ id }) => id);
    expect(reasons.filter((reason) => !bare.includes(reason))).toEqual([]);
    expect(inProgram.filter((site) => !/^bare (serve-sockets|frames)\.ts/.test(site))).toEqual([]);
  });

  it("never happens without one", async () => {
    expect(await attack("none")).toEqual([]);
  });

  it.each(inProgram)("ends that process, and affects no client of others: %s", async (site) => {
    const faults = await attack(site);
    expect(faults.map(({ message }) => message)).toEqual(["an I/O process ended: 1"]);
  });

  it.each(steps)(
    "in the main process ends the I/O process, and affects no client of others: %s",
    async (site) => {
      const faults = await attack("none", site);
      expect(faults.map(({ message }) => message)).toEqual([FAULT]);
    },
  );

  it.each(awaits)("while one is started or stopped is reported to the caller: %s", async (site) => {
    const pool = start("none", unexpected);
    armed = site;
    await expect(pool.ready().then(() => pool.close())).rejects.toThrow(FAULT);
    await pool.close();
    expect([armed, uncaught]).toEqual([undefined, []]);
  });
});
