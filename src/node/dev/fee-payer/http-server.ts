import type { ConnectionBudget } from "../../../platform/http/budget.ts";
import type { Head } from "../../../platform/http/connection/head.ts";
import { listenHttp } from "../../../platform/http/listener.ts";
import { type PathRoute, serveRoutes } from "../../../platform/http/routes/routes.ts";
import type { Reply } from "../../../platform/http/service.ts";
import { parseJsonWithin } from "../../../platform/intake/nesting.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { FeePayerService } from "./fee-payer-service.ts";
import { badRequest, type FeePayerResponse, internalError, Reason } from "./responses.ts";

/** Largest body of a request in bytes. */
const MAX_BODY = 512 * 1024;
/** Levels and values of its JSON, which has one member that counts. */
const MAX_JSON = { depth: 16, values: 1000 };
const NOT_FOUND: FeePayerResponse = {
  status: 404,
  body: { message: "Not found", error: "NOT_FOUND", status: false },
};

/** A listening fee payer service. */
export interface FeePayerListener {
  /** `http://127.0.0.1:8560` */
  readonly url: string;
  close(): Promise<void>;
}

/** Where a fee payer listens. */
export interface FeePayerPlace {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly logger: Logger;
  readonly budget: ConnectionBudget;
}

/** Serves a fee payer over HTTP, to this machine and pages served from it: others would spend the payer's money. */
export async function listenFeePayer(
  service: FeePayerService,
  { host, port, logger, budget }: FeePayerPlace,
): Promise<FeePayerListener> {
  const onFault = (error: unknown) => logger.error("the fee payer failed", { error });
  const { slice } = budget;
  const rules = { hosts: ["localhost"], maxBody: MAX_BODY, slice, notFound: replyOf(NOT_FOUND) };
  const listener = await listenHttp(serveRoutes(routesOf(service, onFault), rules), {
    ...{ host, port, budget, onFault },
  });
  return { url: `http://${listener.address}`, close: () => listener.close() };
}

function routesOf(service: FeePayerService, onFault: (error: unknown) => void): PathRoute[] {
  return [
    {
      method: "GET",
      path: "/api/balance",
      handle: ({ head, query }) =>
        replyOf(service.balance(apiKeyOf(head), query.get("address") ?? undefined)),
    },
    {
      method: "POST",
      path: "/api/signAsFeePayer",
      async handle({ head, body }) {
        try {
          const asked = parsed(body);
          if (asked === undefined) return replyOf(badRequest(Reason.missing));
          return replyOf(await service.sign(apiKeyOf(head), asked));
        } catch (error) {
          onFault(error);
          return replyOf(internalError("internal error"));
        }
      },
    },
  ];
}

function apiKeyOf({ fields }: Head): string | undefined {
  return /^Bearer (.+)$/i.exec(fields.authorization ?? "")?.[1];
}

/** Undefined if a body is not JSON, or more than a request needs. */
function parsed(body: string): unknown {
  try {
    return parseJsonWithin(body, MAX_JSON.depth, MAX_JSON.values);
  } catch {
    return undefined;
  }
}

function replyOf({ status, body }: FeePayerResponse): Reply {
  return { status, headers: "Content-Type: application/json\r\n", body: JSON.stringify(body) };
}
