import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  BLOCK_NUMBER,
  exchange,
  onNode,
  openSocket,
  post,
  statusOf,
} from "./attacked-node.ts";

const withHost = (line: string) =>
  post(BLOCK_NUMBER, "Connection: close\r\n").replace("Host: localhost\r\n", line);

/** `Host` fields and the status that each gets. */
const HOSTS: readonly (readonly [line: string, status: number])[] = [
  ["Host: localhost\r\n", 200],
  ["Host: localhost:1\r\n", 200],
  ["Host: localhost:\r\n", 200],
  ["Host: 127.0.0.1\r\n", 200],
  ["Host: 127.0.0.1:8551\r\n", 200],
  ["Host: [::1]:8551\r\n", 200],
  ["Host: ::1\r\n", 200],
  ["Host: 10.0.0.1\r\n", 200],
  ["Host:\tlocalhost \r\n", 200],
  ["Host: LOCALHOST\r\n", 403],
  ["Host: localhost.\r\n", 403],
  ["Host: [::1]\r\n", 403],
  ["Host: evil.example\r\n", 403],
  ["Host: evil.example:8551\r\n", 403],
  ["Host: localhost.evil.example\r\n", 403],
  ["Host: evil.example:80:80\r\n", 403],
  ["Host: 127.0.0.1.evil.example\r\n", 403],
  ["Host: 127.1\r\n", 403],
  ["Host: 0x7f000001\r\n", 403],
  ["Host: 2130706433\r\n", 403],
  ["Host: localhost,evil.example\r\n", 403],
  ["Host: localhost\r\nHost: evil.example\r\n", 400],
  ["Host: evil.example\r\nHost: localhost\r\n", 400],
  ["Host: [::1\r\n", 403],
  ["Host: [localhost]:1\r\n", 200],
  ["Host: localhost/evil\r\n", 400],
  ["Host: user@localhost\r\n", 400],
  ["Host: lo calhost\r\n", 400],
  ["Host: localhost\x00\r\n", 400],
  ["Host : localhost\r\n", 400],
  ["", 400],
];

const ORIGINS: readonly (readonly [origin: string | undefined, shared: boolean])[] = [
  ["https://app.example", true],
  ["https://APP.example", true],
  ["https://a.wild.example", true],
  [undefined, false],
  ["", false],
  ["null", false],
  ["*", false],
  ["http://app.example", false],
  ["https://app.example:444", false],
  ["https://app.example.evil", false],
  ["https://evil.example", false],
  ["https://app.example/", false],
  ["https://wild.example", false],
  ["https://.wild.example.evil", false],
  ["https://app.example, https://evil.example", false],
  ["http://localhost:3000", false],
  ["file://", false],
];

/** Requests and the status that each gets. */
const REQUESTS: readonly (readonly [method: string, type: string, body: string, status: number])[] = [
  ["POST", "application/json", BLOCK_NUMBER, 200],
  ["POST", "application/json; charset=utf-8", BLOCK_NUMBER, 200],
  ["POST", "APPLICATION/JSON", BLOCK_NUMBER, 200],
  ["POST", "text/plain", BLOCK_NUMBER, 415],
  ["POST", "application/x-www-form-urlencoded", BLOCK_NUMBER, 415],
  ["POST", "multipart/form-data; boundary=x", BLOCK_NUMBER, 415],
  ["POST", "application/json, text/plain", BLOCK_NUMBER, 415],
  ["POST", "application/jsonp", BLOCK_NUMBER, 415],
  ["POST", "", BLOCK_NUMBER, 415],
  ["PUT", "application/json", BLOCK_NUMBER, 405],
  ["DELETE", "application/json", BLOCK_NUMBER, 405],
  ["GET", "text/plain", "", 200],
  ["GET", "text/plain", BLOCK_NUMBER, 415],
  ["PATCH", "text/plain", BLOCK_NUMBER, 415],
];

const UPGRADE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

async function checkHosts(
  { port, wsPort }: AttackedNode,
  metrics: number,
  feePayer: number,
): Promise<number> {
  for (const [line, status] of HOSTS) {
    const got = await statusOf(port, withHost(line));
    hold(got === status, `${JSON.stringify(line)} got ${got} instead of ${status}`);
    for (const [other, path] of [
      [metrics, "/metrics"],
      [feePayer, "/api/balance"],
    ] as const) {
      const text = `GET ${path} HTTP/1.1\r\n${line}Connection: close\r\n\r\n`;
      const answer = await statusOf(other, text);
      hold(answer === status, `${path} returned ${answer} to ${JSON.stringify(line)} instead of ${status}`);
    }
    const upgraded = status === 200 ? 101 : status;
    for (const webSocket of [port, wsPort]) {
      const answer = await upgradeStatus(webSocket, `GET / HTTP/1.1\r\n${line}${UPGRADE}\r\n`);
      hold(answer === upgraded, `upgrade with ${JSON.stringify(line)} got ${answer} instead of ${upgraded}`);
    }
  }
  for (const [field, target] of [
    ["evil.example", "localhost"],
    ["localhost", "evil.example"],
  ]) {
    const absolute = withHost(`Host: ${field}\r\n`).replace("POST /", `POST http://${target}/`);
    const got = await statusOf(port, absolute);
    hold(got === 400, `a target on ${target} with Host: ${field} got ${got} instead of 400`);
  }
  return 5 * HOSTS.length + 2;
}

/** Status of the response to an upgrade, after which the connection would stay open. */
function upgradeStatus(port: number, head: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = openSocket(port);
    socket.once("data", (data: Buffer) => {
      socket.destroy();
      resolve(Number(data.toString("latin1").split(" ")[1]));
    });
    socket.once("close", () => resolve(0));
    socket.write(head);
  });
}

async function checkOrigins({ port }: AttackedNode): Promise<number> {
  for (const [origin, shared] of ORIGINS) {
    const field = origin === undefined ? "" : `Origin: ${origin}\r\n`;
    const text = await exchange(port, post(BLOCK_NUMBER, `${field}Connection: close\r\n`));
    hold(
      /access-control-allow-origin/i.test(text) === shared,
      `${origin} is ${shared ? "not " : ""}shared with`,
    );
    const preflight = `OPTIONS / HTTP/1.1\r\nHost: localhost\r\n${field}Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n`;
    const allowed = await exchange(port, preflight);
    hold(/access-control-allow-origin/i.test(allowed) === shared, `preflight of ${origin}`);
  }
  return 2 * ORIGINS.length;
}

/** Pages of this machine, and no others, may call the fee payer. */
const isOfThisMachine = (origin: string): boolean => /^https?:\/\/localhost(:\d+)?$/.test(origin);

const SIGN = "/api/signAsFeePayer";

/** Requests to the fee payer and the status that each gets; one whose body is no transaction is refused by the service. */
const FEE_PAYER_REQUESTS: readonly (readonly [method: string, path: string, type: string, status: number])[] =
  [
    ["POST", SIGN, "application/json", 400],
    ["POST", SIGN, "APPLICATION/JSON; charset=utf-8", 400],
    ...[
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "",
    ].map((type) => ["POST", SIGN, type, 415] as const),
    ...["GET", "PUT", "DELETE", "PATCH", "TRACE"].map(
      (method) => [method, SIGN, "application/json", 405] as const,
    ),
    ["GET", "/api/balance", "text/plain", 200],
    ...["POST", "PUT", "DELETE", "PATCH"].map(
      (method) => [method, "/api/balance", "application/json", 405] as const,
    ),
  ];

const toFeePayer = (method: string, path: string, fields: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Length: 2\r\nConnection: close\r\n\r\n{}`;

async function checkFeePayerOrigins(port: number): Promise<number> {
  for (const [origin] of ORIGINS) {
    if (origin === undefined) continue;
    const isShared = isOfThisMachine(origin);
    for (const method of ["POST", "OPTIONS"]) {
      const fields = `Origin: ${origin}\r\nContent-Type: application/json\r\nAccess-Control-Request-Method: POST\r\n`;
      const text = await exchange(port, toFeePayer(method, SIGN, fields));
      hold(
        /access-control-allow-origin/i.test(text) === isShared,
        `fee payer: ${method} of ${origin}: ${text}`,
      );
      hold(text.startsWith("HTTP/1.1 403 ") !== isShared, `fee payer: ${method} of ${origin} got ${text}`);
    }
  }
  return 2 * (ORIGINS.length - 1);
}

async function checkFeePayerRequests(port: number): Promise<number> {
  for (const [method, path, type, status] of FEE_PAYER_REQUESTS) {
    const got = await statusOf(port, toFeePayer(method, path, `Content-Type: ${type}\r\n`));
    hold(
      got === status,
      `fee payer: ${method} ${path} of ${JSON.stringify(type)} got ${got} instead of ${status}`,
    );
  }
  return FEE_PAYER_REQUESTS.length;
}

function feePayerOf({ endpoints }: AttackedNode): number {
  return Number(new URL((endpoints as unknown as { feePayer: string }).feePayer).port);
}

const feePayer = ["--fee-payer-port", "0"];
const services = ["--prometheus", "--prometheusport", "0", ...feePayer];

export const httpRules: readonly HostileRow[] = [
  {
    id: "S2",
    promise:
      "a foreign, duplicated or missing Host is rejected on JSON-RPC, WebSocket upgrades, metrics and fee payer",
    run: () =>
      onNode(
        async (node) => {
          const { feePayer, metrics } = node.endpoints as unknown as { feePayer: string; metrics: string };
          const count = await checkHosts(node, Number(new URL(metrics).port), Number(new URL(feePayer).port));
          return `${count} requests`;
        },
        ...services,
      ),
  },
  {
    id: "S3",
    promise:
      "CORS allows listed origins only, and none by default; the fee payer answers only pages of this machine",
    run: async () => {
      const listed = await onNode(
        checkOrigins,
        "--rpccorsdomain",
        "https://app.example,https://*.wild.example",
      );
      const ofFeePayer = await onNode(
        async (node) => {
          const request = post(BLOCK_NUMBER, "Origin: https://app.example\r\nConnection: close\r\n");
          const none = await exchange(node.port, request);
          hold(!/access-control|vary/i.test(none), "a response is shared by default");
          return checkFeePayerOrigins(feePayerOf(node));
        },
        ...feePayer,
      );
      return `${listed + 1} requests, ${ofFeePayer} to the fee payer`;
    },
  },
  {
    id: "S4",
    promise: "only JSON by POST is served, by the fee payer too",
    run: () =>
      onNode(
        async (node) => {
          const { port } = node;
          for (const [method, type, body, status] of REQUESTS) {
            const text = post(body, "Connection: close\r\n")
              .replace("POST", method)
              .replace("application/json", type);
            const got = await statusOf(port, text);
            hold(got === status, `${method} of ${JSON.stringify(type)} got ${got} instead of ${status}`);
          }
          return `${REQUESTS.length} requests, ${await checkFeePayerRequests(feePayerOf(node))} to the fee payer`;
        },
        ...feePayer,
      ),
  },
];
