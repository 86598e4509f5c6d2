import { readdirSync } from "node:fs";
import { WebSocket } from "ws";
import { childrenOf } from "../../../e2e/process-tree.ts";
import { type HostileRow, hold, Skipped } from "../row.ts";
import {
  type AttackedNode,
  askMs,
  BLOCK_NUMBER,
  LONG_ANSWER,
  onNode,
  openSocket,
  pause,
  post,
} from "./attacked-node.ts";

const PER_SECOND = 200;
const CLIENTS = 30;
const KILLS = 6;
const RESETS = 1000;

const descriptorsOf = (pid: number | undefined): number => readdirSync(`/proc/${pid}/fd`).length;

/** Clients that pipeline calls on connections of both kinds, and connect again when one is closed. */
function load(node: AttackedNode): { answered(): number; stop(): Promise<void> } {
  let isOver = false;
  let answered = 0;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const socket = openSocket(node.port);
      socket.on("data", (data) => {
        answered += data.toString("latin1").split('"result"').length - 1;
      });
      while (!socket.destroyed && !isOver) {
        socket.write(post(BLOCK_NUMBER).repeat(20));
        await pause(20);
      }
      socket.destroy();
    }
  };
  const loops = Array.from({ length: CLIENTS }, loop);
  const readers = Array.from({ length: 10 }, () => openSocket(node.port));
  for (const socket of readers) socket.pause().write(post(LONG_ANSWER).repeat(20));
  const watchers = Array.from({ length: 10 }, () => new WebSocket(node.endpoints.ws));
  for (const watcher of watchers) {
    watcher.on("error", () => {});
    watcher.on("open", () => watcher.send(BLOCK_NUMBER));
  }
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      for (const each of [...readers]) each.destroy();
      for (const watcher of watchers) watcher.terminate();
      await Promise.all(loops);
    },
  };
}

/** Waits until the node has its processes and as many descriptors as when it was idle. */
async function restored(node: AttackedNode, descriptors: number): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (childrenOf(node.child.pid as number).length === 2 && descriptorsOf(node.child.pid) <= descriptors)
      return;
    await pause(100);
  }
  hold(
    false,
    `${childrenOf(node.child.pid as number).length} processes, ${descriptorsOf(node.child.pid)} descriptors of ${descriptors}`,
  );
}

/** Kills the processes under load. @returns how many calls returned */
async function killed(node: AttackedNode): Promise<number> {
  const { answered, stop } = load(node);
  for (let i = 0; i < KILLS; i++) {
    await pause(600);
    for (const pid of childrenOf(node.child.pid as number).slice(0, 1)) process.kill(pid, "SIGKILL");
  }
  const before = answered();
  await pause(1000);
  hold(answered() > before, "no call returned after the kills");
  await stop();
  return answered();
}

/** Connects, sends a call, and resets the connection. */
async function reset({ port }: AttackedNode): Promise<void> {
  for (let i = 0; i < RESETS; i += 100)
    await Promise.all(
      Array.from({ length: 100 }, () => {
        const socket = openSocket(port);
        socket.once("connect", () => {
          socket.write(post(BLOCK_NUMBER));
          socket.resetAndDestroy();
        });
        return new Promise((resolve) => socket.once("close", resolve));
      }),
    );
}

/** Calls on many connections, which are in different processes. @returns how many were served, and how many were allowed */
async function limited({ port }: AttackedNode): Promise<{ answered: number; allowed: number }> {
  const began = performance.now();
  let answered = 0;
  const sockets = Array.from({ length: 40 }, () => openSocket(port));
  for (const socket of sockets) {
    socket.on("data", (data) => {
      answered += data.toString("latin1").split('"result"').length - 1;
    });
    socket.write(post(BLOCK_NUMBER).repeat(50));
  }
  await pause(2000);
  for (const socket of sockets) socket.destroy();
  return { answered, allowed: PER_SECOND * (1 + (performance.now() - began) / 1000) };
}

async function attack(node: AttackedNode): Promise<string> {
  if (process.platform !== "linux") throw new Skipped("the processes are found in /proc");
  hold(childrenOf(node.child.pid as number).length === 2, "no I/O processes");
  await askMs(node.port);
  await pause(1000);
  const idle = descriptorsOf(node.child.pid) + 5;
  const answered = await killed(node);
  await restored(node, idle);
  await reset(node);
  const afterResets = await askMs(node.port);
  await restored(node, idle);
  return `${KILLS} kills beneath ${answered} answered calls; a call after ${RESETS} resets in ${Math.round(afterResets)} ms; all descriptors given back`;
}

export const ioProcesses: readonly HostileRow[] = [
  {
    id: "L30",
    promise:
      "I/O processes that are killed, and connections reset on their way to them, cost only those connections",
    run: () => onNode(attack, "--rpc.io-processes", "2"),
  },
  {
    id: "L30r",
    promise: "--rpc.rate limits a client whose connections are in several I/O processes exactly as in one",
    run: () =>
      onNode(
        async (node) => {
          await pause(2000);
          const { answered, allowed } = await limited(node);
          const figure = `${answered} of 2000 calls in two processes answered, ${Math.ceil(allowed)} allowed`;
          hold(answered >= PER_SECOND && answered <= allowed + 1, figure);
          await pause(1100);
          return figure;
        },
        ...["--rpc.io-processes", "2", "--rpc.rate", String(PER_SECOND), "--rpc.rate-loopback"],
      ),
  },
];
