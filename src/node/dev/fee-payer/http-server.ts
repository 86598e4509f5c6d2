import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { type Answer, badRequest, internalError, Reason } from "./answers.ts";
import type { FeePayerService } from "./fee-payer-service.ts";

/** Largest body of a request in bytes. */
const MAX_BODY = 512 * 1024;
const NOT_FOUND: Answer = {
  status: 404,
  body: { message: "Not found", error: "NOT_FOUND", status: false },
};

/** A fee payer service that listens. */
export interface FeePayerListener {
  /** `http://127.0.0.1:8560` */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a fee payer over HTTP, to this machine and to pages that it serves. @param port - 0 picks a free one */
export async function listenFeePayer(
  service: FeePayerService,
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: Logger },
): Promise<FeePayerListener> {
  const server = createServer((request, response) => {
    answer(service, request, response).catch((error: unknown) => {
      logger.error("the fee payer failed", { error });
      send(request, response, internalError("internal error"));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  const bound = server.address() as { readonly address: string; readonly port: number };
  const name = bound.address.includes(":") ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  service: FeePayerService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLocalHost(request.headers.host)) {
    response.writeHead(403).end("invalid host specified\n");
    return;
  }
  if (request.method === "OPTIONS") {
    response.writeHead(204, preflightHeaders(request)).end();
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const apiKey = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (request.method === "GET" && pathname === "/api/balance")
    send(request, response, service.balance(apiKey, searchParams.get("address") ?? undefined));
  else if (request.method === "POST" && pathname === "/api/signAsFeePayer") {
    const body = await readJson(request);
    send(
      request,
      response,
      body === undefined ? badRequest(Reason.missing) : await service.sign(apiKey, body),
    );
  } else send(request, response, NOT_FOUND);
}

/** The parsed body; undefined when it is too large or no JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    return undefined;
  }
}

function send(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  if (response.headersSent) return;
  response.writeHead(status, { "Content-Type": "application/json", ...originHeaders(request) });
  response.end(JSON.stringify(body));
}

function preflightHeaders(request: IncomingMessage): Record<string, string> {
  return {
    ...originHeaders(request),
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
  };
}

/** Pages of this machine may call; others would spend the fee payer's money. */
function originHeaders({ headers: { origin } }: IncomingMessage): Record<string, string> {
  if (origin === undefined || !URL.canParse(origin) || !isLocalHost(new URL(origin).host)) return {};
  return { "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** A name that leads to this machine whatever a name server says. */
function isLocalHost(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}
