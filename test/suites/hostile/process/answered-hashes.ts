import { connect } from "node:net";
import { WebSocket } from "ws";
import { type HostileRow, hold } from "../row.ts";
import { KilledNode } from "./killed-node.ts";

const SINGLES = 5;
const BATCH = 200;
const PASSPHRASE = "correct horse";

/** Sends a request to the node and kills it when the response arrives. @returns the response */
type Send = (killed: KilledNode, text: string) => Promise<string>;

const overHttp: Send = async ({ node }, text) => {
  const { port } = new URL(node.endpoints.http);
  const head = `POST / HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n`;
  const answer = await overSocket(
    connect(Number(port), "127.0.0.1"),
    `${head}Content-Length: ${text.length}\r\n\r\n${text}`,
    () => node.child.kill("SIGKILL"),
  );
  return answer.slice(answer.indexOf("\r\n\r\n") + 4);
};

const overIpc: Send = ({ node }, text) =>
  overSocket(connect(node.endpoints.ipc), text, () => node.child.kill("SIGKILL"));

const overWebSocket: Send = ({ node }, text) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(node.endpoints.ws);
    socket.once("open", () => socket.send(text)).once("error", reject);
    socket.once("message", (data) => {
      node.child.kill("SIGKILL");
      socket.removeAllListeners("error").on("error", () => {});
      resolve(data.toString());
    });
  });

function overSocket(socket: ReturnType<typeof connect>, text: string, kill: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    socket.on("error", reject).write(text);
    socket.setEncoding("utf8").on("data", (part: string) => {
      answer += part;
      if (!/\}\]?\n?$/.test(answer)) return;
      kill();
      socket.removeAllListeners("error").on("error", () => {});
      socket.destroy();
      resolve(answer);
    });
  });
}

/** A transaction whose hash was returned survives a kill at that moment. */
export const answeredHashes: HostileRow = {
  id: "P15",
  promise: "a transaction whose hash was returned survives a kill at that moment",
  async run() {
    const killed = new KilledNode("--no-mining", "--lightkdf");
    let answered = 0;
    try {
      await killed.start();
      for (const send of [overHttp, overIpc, overWebSocket]) {
        for (let i = 0; i < SINGLES; i++) {
          const [raw] = (await killed.transfers(1)) as [string];
          answered += await attack(killed, send, JSON.stringify(rawCall(raw)));
        }
      }
      const raws = await killed.transfers(BATCH);
      answered += await attack(killed, overHttp, JSON.stringify(raws.map(rawCall)));
      for (const method of ["eth_sendTransaction", "kaia_sendTransaction", "personal_sendTransaction"])
        answered += await attack(killed, overHttp, JSON.stringify(await ownCall(killed, method)));
    } finally {
      await killed.end();
    }
    return `${answered} hashes answered and the node killed, 0 lost`;
  },
};

async function attack(killed: KilledNode, send: Send, text: string): Promise<number> {
  const answers = [JSON.parse(await send(killed, text))].flat() as { result?: string; error?: unknown }[];
  const hashes = answers.flatMap(({ result }) => result ?? []);
  hold(hashes.length === answers.length, `refused: ${JSON.stringify(answers.find(({ error }) => error))}`);
  await killed.restart("SIGKILL");
  const known = await killed.known(hashes);
  hold(known.length === hashes.length, `${hashes.length - known.length} of ${hashes.length} are gone`);
  await killed.call("evm_mine");
  return hashes.length;
}

function rawCall(raw: string) {
  return { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] };
}

/** A call that signs with a key of the node: one of its own for the personal namespace. */
async function ownCall(killed: KilledNode, method: string) {
  const funded = killed.sender;
  const tx = { from: funded, to: funded, value: "0x1", gas: "0x5208" };
  if (method !== "personal_sendTransaction") return { jsonrpc: "2.0", id: 1, method, params: [tx] };
  const from = await killed.call("personal_newAccount", PASSPHRASE);
  await killed.call("anvil_setBalance", from, "0xde0b6b3a7640000");
  return { jsonrpc: "2.0", id: 1, method, params: [{ ...tx, from, to: from }, PASSPHRASE] };
}
