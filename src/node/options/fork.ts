import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";
import { httpUrl } from "./conversions.ts";
import { nodeOption } from "./member.ts";

/** What a development chain forks from. */
export const forkOptions = {
  forkUrl: nodeOption({
    member: "fork.url",
    flag: "fork-url",
    type: t.string,
    default: undefined,
    doc: "Goes on from the state of another chain, read from this node as it is needed. The URL may hold a key.",
    secret: true,
    opens: "fork",
    as: httpUrl,
  }),
  forkBlock: nodeOption({
    member: "fork.block",
    flag: "fork-block",
    type: t.bigNumber,
    default: undefined,
    doc: "Block of the other chain to go on from; its newest one by default.",
    needs: "fork-url",
  }),
  forkCache: option({
    flag: "fork-cache",
    type: t.path,
    default: undefined,
    doc: "Folder that keeps what was read of other chains; by default one in the user's cache folder.",
  }),
  noForkCache: option({
    flag: "no-fork-cache",
    type: t.boolean,
    default: false,
    doc: "Reads everything of another chain anew.",
  }),
  forkAllowPrivate: nodeOption({
    member: "allowPrivateForks",
    flag: "fork-allow-private",
    type: t.boolean,
    default: false,
    doc: "Lets anvil_reset and its like fork from nodes of private networks when they are called over HTTP or WebSocket.",
  }),
} as const;
