import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { attachTo, EVIL } from "./attached-console.ts";

/** Responds to a call of a hostile node. */
type Malice = (method: string, reply: (value: unknown) => void, response: ServerResponse) => void;

const method = {
  name: "eth_evil",
  summary: `does ${EVIL}`,
  params: [{ name: `name${EVIL}`, description: EVIL, required: true, schema: { title: `title${EVIL}` } }],
  result: { name: EVIL, schema: {} },
};

/** Modules and methods with `answer` handling all other calls. */
function speaking(answer: Malice): Malice {
  return (name, reply, response) => {
    if (name === "rpc_modules")
      reply({ result: { eth: "1.0", [`a${EVIL}`]: EVIL, Object: "1.0", JSON: EVIL } });
    else if (name === "rpc_discover")
      reply({ result: { methods: [method, { ...method, name: EVIL }, 7, null] } });
    else answer(name, reply, response);
  };
}

/** Endless text, as fast as it is read. */
function flood(response: ServerResponse): void {
  const piece = "x".repeat(1 << 20);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", more);
  };
  response.write('{"jsonrpc":"2.0","id":0,"result":"');
  more();
}

/** The same in pieces of one byte. */
function drizzle(response: ServerResponse): void {
  const bytes = "1\r\nx\r\n".repeat(1 << 16);
  const more = (): void => {
    while (response.socket?.write(bytes) === true);
    response.socket?.once("drain", more);
  };
  response.flushHeaders();
  more();
}

/** Heads of endless interim responses. */
function interim(response: ServerResponse): void {
  const heads = "HTTP/1.1 102 Processing\r\n\r\n".repeat(1 << 12);
  const more = (): void => {
    while (response.socket?.write(heads) === true);
    response.socket?.once("drain", more);
  };
  more();
}

/** A head without end. */
function endlessHead(response: ServerResponse): void {
  const more = (): void => {
    while (response.socket?.write("x: y\r\n".repeat(1 << 12)) === true);
    response.socket?.once("drain", more);
  };
  response.socket?.write("HTTP/1.1 200 OK\r\n");
  more();
}

const nested = (depth: number): string => `{"id":0,"result":${"[".repeat(depth)}${"]".repeat(depth)}}`;

/** The console's input, and the node's behaviour. */
const CASES: readonly (readonly [string, Malice])[] = [
  ["eth.evil(1)", speaking((_, reply) => reply({ result: EVIL }))],
  ["eth.evil(1)", speaking((_, reply) => reply({ result: `two\nlines ${EVIL}` }))],
  ["eth.evil(1)", speaking((_, reply) => reply({ result: { [EVIL]: [EVIL, { [EVIL]: EVIL }] } }))],
  ["console.log(eth.evil(1)); eth.evil(1).length", speaking((_, reply) => reply({ result: EVIL }))],
  [
    "eth.evil(1)",
    speaking((_, reply) => reply({ error: { code: -1, message: EVIL, data: { hint: EVIL } } })),
  ],
  ["eth.evil(1)", speaking((_, reply) => reply({ error: { code: EVIL, message: [EVIL], data: EVIL } }))],
  ["eth.evil(1)", speaking((_, reply) => reply({ error: null }))],
  ["throw new Error(eth.evil(1))", speaking((_, reply) => reply({ result: EVIL }))],
  ['help(); help("eth")', speaking(() => {})],
  ['help("eth.evil")', speaking(() => {})],
  ["eth.evil()", speaking(() => {})],
  ["eth", speaking(() => {})],
  ["eth.evil(1)", speaking((_, __, response) => response.end(`${EVIL} no JSON`))],
  ["eth.evil(1)", speaking((_, __, response) => response.writeHead(500).end(EVIL))],
  ["eth.evil(1)", speaking((_, __, response) => response.end("null"))],
  ["eth.evil(1)", speaking((_, __, response) => response.end(nested(200_000)))],
  ["eth.evil(1)", speaking((_, __, response) => flood(response))],
  ["eth.evil(1)", speaking((_, __, response) => drizzle(response))],
  ["eth.evil(1)", speaking((_, __, response) => interim(response))],
  ["eth.evil(1)", speaking((_, __, response) => endlessHead(response))],
  ["eth.evil(1)", speaking((_, __, response) => response.writeHead(307, { location: "/again" }).end())],
  ["eth.evil(1)", speaking((_, reply) => reply({ id: 7, result: EVIL }))],
  ["eth.evil(1)", speaking((_, reply) => reply({ id: [EVIL], params: { subscription: EVIL } }))],
  ["eth.evil(1)", speaking((_, __, response) => response.end(`[${"null,".repeat(1_000_000)}null]`))],
  ["eth.evil(1)", speaking((_, __, response) => response.destroy())],
  ["1", (_, reply) => reply({ result: EVIL })],
  ["1", (_, reply) => reply({ result: null })],
  ["1", (_, reply) => reply({ error: { code: 1, message: EVIL } })],
  ["1", (_, __, response) => response.end(EVIL)],
];

/** Cases that together take less than a minute: a text, an object, an error, help, no JSON, nesting, a redirection, no modules. */
const FEW = [0, 2, 4, 8, 12, 15, 20, 28];

/** Attaches a console to a hostile node, once per case. */
export async function hostileConsole(inAllWays: boolean): Promise<string> {
  const cases = CASES.filter((_, i) => inAllWays || FEW.includes(i));
  let peak = 0;
  for (const [typed, malice] of cases) peak = Math.max(peak, await attach(typed, malice));
  return `${cases.length} consoles ended in order, at most ${Math.round(peak / 2 ** 20)} MiB`;
}

/** @returns the console's peak memory, in bytes */
async function attach(typed: string, malice: Malice): Promise<number> {
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.on("data", (chunk) => {
      body += chunk;
    });
    incoming.on("end", () => {
      const asked = [JSON.parse(body)].flat() as { id: number; method: string }[];
      const { id, method: name } = asked[0] as { id: number; method: string };
      const reply = (value: unknown) =>
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(value as object) }));
      malice(name, reply, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const peak = await attachTo(`http://127.0.0.1:${port}`, typed);
  server.closeAllConnections();
  server.close();
  return peak;
}
