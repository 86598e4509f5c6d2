import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type HostileRow, hold } from "../row.ts";
import { peakMemory, startVictim, watchKairn } from "../watched.ts";

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Responds to each call of a batch with a value derived from its id and method. */
function answering(made: (id: number, method: string) => unknown): RequestListener {
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as { id: number; method: string };
      const all = [asked].flat().map(({ id, method }) => made(id, method));
      response.end(JSON.stringify(Array.isArray(asked) ? all : all[0]));
    });
  };
}

const ROOT = `0x${"cd".repeat(32)}`;
/** A Kaia header, with its hash. */
const block = {
  ...{ number: "0x1", timestamp: "0x1", timestampFoS: "0x0", gasUsed: "0x0", blockScore: "0x1" },
  ...{ parentHash: ROOT, stateRoot: ROOT, transactionsRoot: ROOT, receiptsRoot: ROOT },
  ...{ reward: `0x${"00".repeat(20)}`, logsBloom: `0x${"00".repeat(256)}` },
  ...{ extraData: "0x", governanceData: "0x", voteData: "0x" },
  hash: "0x4f3f7bfb713fb42656b109e0fdea5a3f969744073a7c40ed7d6d60e1e09d1578",
};
/** Serves a chain of one valid block, and harmful responses to everything else. */
const sound = (otherwise: (id: number, method: string) => unknown): RequestListener =>
  answering((id, method) => {
    if (method === "eth_chainId") return { id, result: "0x7" };
    if (method === "eth_getBlockByNumber") return { id, result: block };
    return otherwise(id, method);
  });
const refusal = { code: -32601, message: "no such method" };

const CHUNKED = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
const EARLY_HINTS = "HTTP/1.1 103 Early Hints";

/** What an origin may do, and the node's error message. */
const ORIGINS: Readonly<Record<string, { readonly listener: RequestListener; readonly says: string }>> = {
  endless: {
    listener: (_, response) => pour(response, "", Buffer.alloc(1 << 20, 0x20)),
    says: "more than 33554432 bytes",
  },
  redirect: {
    listener: (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    says: "HTTP 302",
  },
  "bytes one by one": {
    listener: ({ socket }) => pour(socket, `${CHUNKED}1\r\n `, Buffer.from("\r\n1\r\n ".repeat(50_000))),
    says: "more than 65536 pieces",
  },
  "interim responses": {
    listener: ({ socket }) => pour(socket, "", Buffer.from(`${EARLY_HINTS}\r\n\r\n`.repeat(5000))),
    says: "endless interim responses",
  },
  deep: { listener: (_, response) => void response.end("[".repeat(5_000_000)), says: "4096 levels" },
  html: { listener: (_, response) => void response.end("<html>"), says: "is not JSON" },
  "wrong id": { listener: answering(() => ({ id: 99, result: "0x1" })), says: "an unknown id" },
  "huge hex": {
    listener: answering((id) => ({ id, result: { ...block, number: `0x${"f".repeat(8_000_000)}` } })),
    says: "is not a quantity of 64 bits",
  },
  "wrong code": {
    listener: sound((id, method) => {
      const account = { accType: 2, account: { nonce: 1, balance: "0x1", codeHash: `0x${"11".repeat(32)}` } };
      if (method === "kaia_getAccount") return { id, result: account };
      if (method === "kaia_getCode") return { id, result: "0x6001" };
      if (method === "kaia_getBlockByNumber") return { id, result: block };
      return { id, error: refusal };
    }),
    says: "kaia_get",
  },
  "false header": {
    listener: answering((id, method) => {
      if (method === "eth_chainId") return { id, result: "0x7" };
      if (method === "kaia_getBlockByNumber")
        return { id, result: { ...block, stateRoot: `0x${"ce".repeat(32)}` } };
      return { id, result: method === "eth_getBlockByNumber" ? block : {} };
    }),
    says: "a header that does not have the hash",
  },
  "no word": {
    listener: sound((id, method) =>
      method.startsWith("eth_") ? { id, result: ["0x"] } : { id, error: refusal },
    ),
    says: "eth_getBalance is not a quantity",
  },
};

/** Sends something, and then a repetition without end. */
function pour(stream: NodeJS.WritableStream, first: string, endless: Uint8Array): void {
  const send = (): void => {
    while (stream.writable && stream.write(endless));
  };
  stream.on("error", () => {});
  stream.on("drain", send);
  stream.write(first);
  send();
}

async function hostileOrigins(): Promise<string> {
  let [slowest, largest] = [0, 0];
  for (const [name, { listener, says }] of Object.entries(ORIGINS)) {
    const { url, server } = await serve(listener);
    try {
      const args = [
        "dev",
        "--ephemeral",
        "--rpcport",
        "0",
        "--wsport",
        "0",
        "--no-fork-cache",
        "--fork-url",
        url,
      ];
      const run = await watchKairn(args, 40);
      hold(run.code !== 0 && run.code !== null, `${name}: exited with ${run.code}`);
      hold(run.stderr.includes(says), `${name}: ${run.stderr.slice(0, 500)}`);
      [slowest, largest] = [Math.max(slowest, run.seconds), Math.max(largest, run.mebibytes)];
    } finally {
      await close(server);
    }
  }
  hold(largest < 500, `${largest} MiB`);
  const count = Object.keys(ORIGINS).length;
  return `${count} origins named, the slowest in ${slowest.toFixed(1)} s, the largest at ${largest.toFixed(0)} MiB`;
}

/** Addresses that callers must not reach, in all spellings that URLs allow. */
const INNER = [
  ...[
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "localhost",
  ],
  ...[
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00::1]",
  ],
];

async function innerTargets(): Promise<string> {
  let hits = 0;
  const { url, server } = await serve((_, response) => {
    hits++;
    response.end("{}");
  });
  const victim = await startVictim();
  try {
    const { port } = new URL(url);
    for (const host of INNER) {
      for (const method of ["anvil_reset", "hardhat_reset"]) {
        const outcome = await victim
          .ask(method, { forking: { jsonRpcUrl: `http://${host}:${port}/` } })
          .then(() => "taken")
          .catch((error: Error) => error.message);
        hold(outcome.includes("is not an address of the public internet"), `${host}: ${outcome}`);
      }
    }
    for (const target of ["file:///etc/passwd", "gopher://127.0.0.1/", "unix:/run/x"]) {
      const outcome = await victim
        .ask("anvil_reset", { forking: { jsonRpcUrl: target } })
        .catch((e: Error) => e.message);
      hold(String(outcome).includes("begins with http://"), `${target}: ${String(outcome)}`);
    }
    hold(hits === 0, `${hits} connections were made`);
    hold(
      peakMemory(victim.pid) >= 0 && (await victim.ask("eth_blockNumber")) === "0x0",
      "the node does not respond",
    );
    return `${2 * INNER.length + 3} calls, 0 connections`;
  } finally {
    await victim.stop();
    await close(server);
  }
}

/** The origin of a fork, and who may choose it. */
export const forkRows: readonly HostileRow[] = [
  { id: "O1", promise: "callers cannot reach private networks through a fork", run: innerTargets },
  { id: "O2", promise: "a hostile origin is reported and abandoned", run: hostileOrigins },
];
