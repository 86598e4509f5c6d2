import { option } from "../../../platform/config/option.ts";
import * as t from "../../../platform/config/types.ts";
import { nodeOption } from "../member.ts";

/** What a development chain forks from. */
export const forkOptions = {
  forkUrl: nodeOption({
    member: "fork.url",
    flag: "fork-url",
    type: t.httpUrl,
    default: undefined,
    doc: "Forks another chain: its state is read from this node as it is needed. The URL may contain an API key.",
    secret: true,
    opens: "fork",
  }),
  forkBlock: nodeOption({
    member: "fork.block",
    flag: "fork-block",
    type: t.bigNumber,
    default: undefined,
    doc: "Block at which to fork; by default the newest one.",
    needs: "fork-url",
  }),
  forkCache: option({
    flag: "fork-cache",
    type: t.path,
    default: undefined,
    doc: "Folder that caches what was read from other chains; by default one in the user's cache folder.",
  }),
  noForkCache: option({
    flag: "no-fork-cache",
    type: t.boolean,
    default: false,
    doc: "Reads everything from the other node again.",
  }),
  forkAllowPrivate: nodeOption({
    member: "allowPrivateForks",
    flag: "fork-allow-private",
    type: t.boolean,
    default: false,
    doc: "Lets anvil_reset and similar methods fork from nodes on private networks when called over HTTP or WebSocket.",
  }),
} as const;
