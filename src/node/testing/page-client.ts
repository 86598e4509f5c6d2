import { request } from "node:http";
import type { Node } from "../create-node.ts";

/** A response of the dashboard's listener. */
export interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request as a program would make it, which may name any host and origin. */
export interface Asked {
  readonly method?: "GET" | "POST" | "OPTIONS";
  readonly path?: string;
  /** Header fields by their names; `host` replaces the right one, undefined omits it. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** Sends a request to a node's dashboard. */
export function ask(
  node: Node,
  { method = "GET", path = "/", headers = {}, body }: Asked = {},
): Promise<PageResponse> {
  const { hostname, port, host } = new URL(node.endpoints.dashboard as string);
  const fields = Object.fromEntries(
    Object.entries({ host, ...headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: hostname, port, method, path, headers: fields, setHost: false, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece) => {
          text += piece;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/** The origin of a node's own page. */
export function ownOrigin(node: Node): string {
  return new URL(node.endpoints.dashboard as string).origin;
}

/** Calls a method as the page does. @param session - its token */
export function callAs(
  node: Node,
  session: string | undefined,
  method: string,
  params: readonly unknown[] = [],
): Promise<PageResponse> {
  return ask(node, {
    method: "POST",
    path: "/api",
    headers: {
      origin: ownOrigin(node),
      "content-type": "application/json",
      authorization: session === undefined ? undefined : `Bearer ${session}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** Exchanges the token of a link. */
export async function openSession(node: Node, link = node.dashboardLink()): Promise<PageResponse> {
  const token = (link as string).split("#token=")[1];
  return ask(node, {
    method: "POST",
    path: "/api/session",
    headers: { origin: ownOrigin(node), "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
}

/** The token of a new session. */
export async function sessionOf(node: Node): Promise<string> {
  return JSON.parse((await openSession(node)).body).session;
}
