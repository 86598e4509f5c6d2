import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ClientSocket } from "./client-socket.ts";
import { IoProcesses, type SocketTaker } from "./io-processes.ts";
import { execArgv, pidsOfIoProcesses, script } from "./testing/io-script.ts";

const MIB = 1024 * 1024;

/** Waits for an effect of other processes, however busy the machine is. */
const patiently = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000 });
describe.skipIf(process.platform !== "linux")("I/O processes", () => {
  let processes: IoProcesses;
  let server: Server;
  let port: number;
  let take: SocketTaker;
  /** Serves the next connection. */
  let serve: (socket: ClientSocket) => void;
  let taken: (ClientSocket | undefined)[];
  const onFault = vi.fn();

  beforeAll(async () => {
    processes = new IoProcesses({ script, count: 2, execArgv, onFault });
    await processes.ready();
  });

  afterAll(async () => {
    await processes.close();
    expect(pidsOfIoProcesses()).toEqual([]);
  });

  beforeEach(async () => {
    taken = [];
    take = processes.take;
    serve = (socket) => socket.pipe(socket);
    server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      const remote = take(socket);
      taken.push(remote);
      serve(remote ?? socket);
      if (remote === undefined) socket.resume();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as { port: number }).port;
  });

  afterEach(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of taken) socket?.destroy();
    await closed;
  });

  const open = async (): Promise<Socket> => {
    const client = connect({ port, host: "127.0.0.1" });
    await once(client, "connect");
    return client;
  };

  async function everything(client: Socket): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of client) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  it("serve connections", async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, open));
    const read = clients.map(everything);
    for (const [i, client] of clients.entries()) client.end(`client ${i}`);
    expect((await Promise.all(read)).map(String)).toEqual(clients.map((_, i) => `client ${i}`));
    expect(taken).toHaveLength(8);
    expect(taken.every((socket) => socket?.remoteAddress === "127.0.0.1")).toBe(true);
  });

  it("carry 20 MiB each way unchanged", async () => {
    const client = await open();
    const bytes = Buffer.alloc(20 * MIB);
    for (let i = 0; i < bytes.length; i += 4) bytes.writeUInt32LE((i * 2654435761) >>> 0, i);
    const read = everything(client);
    client.end(bytes);
    expect((await read).equals(bytes)).toBe(true);
  });

  it("exert backpressure when a client does not read", async () => {
    serve = () => {};
    const client = await open();
    client.pause();
    await patiently(() => expect(taken).toHaveLength(1));
    const socket = taken[0] as ClientSocket;
    let written = 0;
    const write = () => {
      while (written < 256 * MIB && socket.write(Buffer.alloc(MIB))) written += MIB;
    };
    socket.on("drain", write);
    write();
    let before = -1;
    while (before !== written) {
      before = written;
      await pause(300);
    }
    // The kernel's buffers, and a window.
    expect(written).toBeLessThan(32 * MIB);
    expect(socket.writableLength).toBeGreaterThan(0);
  });

  it("stop reading from a client whose socket is paused", async () => {
    serve = (socket) => socket.on("data", () => {}).pause();
    const client = await open();
    let sent = 0;
    const send = () => {
      while (sent < 256 * MIB && client.write(Buffer.alloc(MIB))) sent += MIB;
    };
    client.on("drain", send);
    send();
    let before = -1;
    while (before !== sent) {
      before = sent;
      await pause(300);
    }
    expect(sent).toBeLessThan(32 * MIB);
    client.destroy();
  });

  it("report a client that disconnects, and disconnect one on request", async () => {
    const gone = vi.fn();
    serve = (socket) => socket.on("close", gone).on("data", () => socket.destroy());
    const first = await open();
    await patiently(() => expect(taken).toHaveLength(1));
    first.resetAndDestroy();
    await patiently(() => expect(gone).toHaveBeenCalledTimes(1));
    const second = await open();
    second.write("close me");
    await once(second.resume(), "close");
  });

  it("are replaced when killed; their connections are closed, those of the others and new ones are not", async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, open));
    await patiently(() => expect(taken).toHaveLength(4));
    const ends = clients.map((client) => once(client.resume(), "close").then(() => client));
    for (const client of clients) client.on("error", () => {});
    const [victim] = pidsOfIoProcesses();
    process.kill(victim as number, "SIGKILL");
    await patiently(() => expect(onFault).toHaveBeenCalledTimes(1));
    await Promise.race(ends);
    await patiently(() => expect(taken.filter((socket) => socket?.destroyed)).toHaveLength(2));
    const other = await open();
    const read = everything(other);
    other.end("still there");
    expect(String(await read)).toBe("still there");
    await patiently(() => expect(pidsOfIoProcesses()).toHaveLength(2));
    for (const client of clients) client.destroy();
  });

  it("close the connections that have yet to reach them when they are killed", async () => {
    await processes.ready();
    const pids = pidsOfIoProcesses();
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    const clients = await Promise.all(Array.from({ length: 8 }, open));
    await patiently(() => expect(taken).toHaveLength(8));
    const given = once(taken[7] as ClientSocket, "close");
    taken[7]?.destroy();
    await given;
    const ends = clients.map((client) => {
      client.on("error", () => {}).resume();
      return once(client, "close");
    });
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await Promise.all(ends);
    expect(taken.every((socket) => socket?.destroyed)).toBe(true);
    await patiently(() => expect(pidsOfIoProcesses()).toHaveLength(2));
  });

  /** A separate process that is checked only when the test says so. */
  async function startChecked(): Promise<{ pid: number; check: () => void }> {
    const others = pidsOfIoProcesses();
    const checks: (() => void)[] = [];
    const interval = vi.spyOn(globalThis, "setInterval").mockImplementation((check) => {
      checks.push(check);
      return setTimeout(() => {}, 0);
    });
    const pool = new IoProcesses({ script, count: 1, execArgv, onFault });
    interval.mockRestore();
    onTestFinished(() => pool.close());
    await pool.ready();
    onFault.mockClear();
    take = pool.take;
    const pid = pidsOfIoProcesses().find((each) => !others.includes(each)) as number;
    return { pid, check: checks[0] as () => void };
  }

  it("are killed when they hang; until then, new connections stay in the main process", async () => {
    const { pid, check } = await startChecked();
    process.kill(pid, "SIGSTOP");
    const client = await open();
    const end = once(client.on("error", () => {}).resume(), "close");
    await patiently(() => expect(taken).toHaveLength(1));
    check();
    check();
    const other = await open();
    const read = everything(other);
    other.end("served here");
    expect(String(await read)).toBe("served here");
    expect(taken.map((socket) => socket === undefined)).toEqual([false, true]);
    for (let i = 2; i < 7; i++) check();
    await end;
    await patiently(() => expect(onFault).toHaveBeenCalledTimes(1));
  });

  it("get no more than 128 connections that they have yet to take over", async () => {
    const { pid } = await startChecked();
    process.kill(pid, "SIGSTOP");
    const clients = await Promise.all(Array.from({ length: 130 }, open));
    await patiently(() => expect(taken).toHaveLength(130));
    expect(taken.filter((socket) => socket === undefined)).toHaveLength(2);
    process.kill(pid, "SIGCONT");
    const read = clients.map(everything);
    for (const [i, client] of clients.entries()) client.end(`client ${i}`);
    expect((await Promise.all(read)).map(String)).toEqual(clients.map((_, i) => `client ${i}`));
  });

  it("are not killed while they respond", async () => {
    const { check } = await startChecked();
    for (let i = 0; i < 10; i++) {
      check();
      const client = await open();
      const read = everything(client);
      client.end(`check ${i}`); // its echo follows the response to the check
      expect(String(await read)).toBe(`check ${i}`);
    }
    expect(taken).not.toContain(undefined);
    expect(onFault).not.toHaveBeenCalled();
  });

  it.each([
    ["a frame that is too long", "ffffffff 01 00000000"],
    ["more bytes sent than there are", "04000000 04 00000000 ffffffff"],
    ["a number that is cut short", "01000000 04 00000000 ff"],
  ])("are killed and replaced when they write %s, and nothing else happens", async (_, frame) => {
    const bytes = Buffer.from(frame.replaceAll(" ", ""), "hex");
    const opened = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const program = `process.send("ready"); process.on("message", () => require("fs").writeSync(4, Buffer.from([${[...opened, ...bytes]}])))`;
    const faults = vi.fn();
    const pool = new IoProcesses({ script, count: 1, execArgv: ["--eval", program, "--"], onFault: faults });
    onTestFinished(() => pool.close());
    await pool.ready();
    take = pool.take;
    const client = await open();
    await once(client.on("error", () => {}).resume(), "close");
    await patiently(() => expect(faults).toHaveBeenCalledTimes(1));
    expect(faults.mock.calls[0]?.[0]).toBeInstanceOf(RangeError);
    expect(taken[0]?.destroyed).toBe(true);
  });

  it("leave connections to the main process when none is running", async () => {
    await processes.close();
    const client = await open();
    const read = everything(client);
    client.end("here");
    expect(String(await read)).toBe("here");
    expect(taken).toEqual([undefined]);
  });
});
