import { type Access, type Registry, secretsOf } from "../../../../api/rpc/engine/registry.ts";
import { dashboardNamespaces } from "../../../../api/rpc/spec/dashboard/dashboard.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { READING_METHODS, WRITING_METHODS } from "./page-methods.ts";
import type { PageSession, Sessions } from "./sessions.ts";

/** What callers of the dashboard may use, by kind of caller. */
export interface PageAccess {
  /** Readers without a token; from other machines the chain, and nothing of this machine. */
  readonly reader: Access;
  /** A session; it only reads where the dashboard is read-only. */
  readonly session: Access;
  /** Events and nothing else, for the stream of a session. */
  readonly events: Access;
  /** The same for readers without a token. */
  readonly readerEvents: Access;
}

/** Restrictions of a dashboard. */
export interface PageRules {
  readonly isReadOnly: boolean;
  /** Whether other machines could read what is sent: then no passphrase is accepted. */
  readonly isExposed: boolean;
}

/** Chooses from the node's methods and the dashboard's own. @param page - serves the dashboard's namespace alone */
export function pageAccess(node: Registry, page: Registry, { isReadOnly, isExposed }: PageRules): PageAccess {
  const all = node.access({ unsafe: true });
  const ours = page.access({ unsafe: true });
  const reading = chosen(all, READING_METHODS);
  const writing = isReadOnly ? [] : chosen(all, WRITING_METHODS);
  const safe = writing.filter(([, { declaration }]) => !isExposed || declaration.scope !== "keys");
  const secrets = secretsOf(new Map([...all.methods, ...ours.methods]));
  const none = { modules: [], subscriptions: new Map(), secrets, local: false, unsafe: false };
  const usesKeys = ([, { declaration }]: (typeof reading)[number]): boolean => declaration.scope === "keys";
  const reads = [...reading, ...[...ours.methods].filter((one) => !usesKeys(one))];
  const own = [...ours.methods].filter((one) => usesKeys(one) && (!isExposed || one[0] === TOUCH));
  const isForAll = ([name]: readonly [string, unknown]): boolean => !(isExposed && OPERATORS.includes(name));
  const events = { ...none, methods: new Map() };
  const eventsForAll = [...ours.subscriptions].filter(isForAll);
  return {
    reader: Object.freeze({ ...none, methods: new Map(reads.filter(isForAll)) }),
    session: Object.freeze({ ...none, methods: new Map(isReadOnly ? reads : [...reads, ...own, ...safe]) }),
    events: Object.freeze({ ...events, subscriptions: ours.subscriptions }),
    readerEvents: Object.freeze({ ...events, subscriptions: new Map(eventsForAll) }),
  };
}

const OWN = Object.keys(dashboardNamespaces)[0];
/** Registers that the user of a session is active. */
const TOUCH = `${OWN}_touch`;
/** Methods and events that reveal something about the machine: paths and errors in the log, addresses of peers. */
const OPERATORS: readonly string[] = [`${OWN}_logLines`, `${OWN} log`, "admin_nodeInfo", "admin_peers"];

function chosen(
  access: Access,
  names: readonly string[],
): [string, NonNullable<ReturnType<Access["methods"]["get"]>>][] {
  return names.flatMap((name) => {
    const bound = access.methods.get(name);
    return bound === undefined ? [] : [[name, bound] as [string, typeof bound]];
  });
}

const UNLOCK = "personal_unlockAccount";
/** Methods that a page polls on its own: no sign of user activity. */
const WATCHED = `${OWN}_unlocked`;

/**
 * The same for one session: calls that use a key or send something count as user activity, and the accounts that it unlocks are locked
 * when its user is idle.
 */
export function watchedAccess(access: Access, session: PageSession, sessions: Sessions): Access {
  const methods = new Map(access.methods);
  for (const [name, bound] of access.methods) {
    const { scope } = bound.declaration;
    if ((scope !== "keys" && scope !== "send") || name === WATCHED) continue;
    const handler: typeof bound.handler = async (args, context) => {
      sessions.touch(session);
      const result = await bound.handler(args, context);
      if (name === UNLOCK && args["address"] instanceof Uint8Array) {
        session.unlocked.add(bytesToHex(args["address"]));
        sessions.touch(session);
      }
      return result;
    };
    methods.set(name, { ...bound, handler });
  }
  return Object.freeze({ ...access, methods });
}
