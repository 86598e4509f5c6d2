import { heldTimes } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, onNode, openSocket, pause } from "./attacked-node.ts";

const CLIENTS = 40;
/** Maximum CPU time in milliseconds for which the main thread may be blocked. */
const MAX_HELD = 200;
const ATTACK_MS = 3000;

/** Clients that send nothing but empty lines, and connect again when they are cut off. */
async function attack(node: AttackedNode): Promise<string> {
  const lines = Buffer.from("\r\n".repeat(1 << 17));
  let isOver = false;
  let sent = 0;
  const flood = async (): Promise<void> => {
    while (!isOver) {
      const socket = openSocket(node.port).resume();
      const more = (): void => {
        while (!socket.destroyed && !isOver && socket.write(lines)) sent += lines.length;
      };
      socket.on("connect", more).on("drain", more);
      await Promise.race([new Promise((resolve) => socket.once("close", resolve)), pause(ATTACK_MS)]);
      socket.destroy();
      await pause(50);
    }
  };
  const floods = Array.from({ length: CLIENTS }, flood);
  const held = Math.max(...(await heldTimes(node, pause(ATTACK_MS))));
  isOver = true;
  await Promise.all(floods);
  const figure = `${CLIENTS} clients with ${Math.round(sent / 2 ** 20)} MiB of empty lines: the main thread held for ${held} ms of its time at most`;
  hold(held <= MAX_HELD, figure);
  return figure;
}

export const emptyLines: HostileRow = {
  id: "T3",
  promise: "clients that send only empty lines delay nobody",
  run: () => onNode(attack),
};
