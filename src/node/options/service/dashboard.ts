import * as t from "../../../platform/config/types.ts";
import { nodeOption, opener } from "../member.ts";

/** A page in the browser that shows the node. */
export const dashboardOptions = {
  dashboard: opener({
    opens: "dashboard",
    flag: "dashboard",
    type: t.boolean,
    default: false,
    doc: "Serves a web page that shows the node, on a port of its own.",
  }),
  dashboardAddress: nodeOption({
    member: "dashboard.host",
    flag: "dashboard.addr",
    type: t.host,
    default: "localhost",
    doc: "Address that the dashboard listens on; on one that other machines can reach it accepts no passphrases.",
  }),
  dashboardPort: nodeOption({
    member: "dashboard.port",
    flag: "dashboard.port",
    type: t.port,
    default: undefined,
    doc: "Port of the dashboard; by default that of HTTP plus 1000; 0 picks a free one.",
  }),
  dashboardHosts: nodeOption({
    member: "dashboard.hosts",
    flag: "dashboard.hosts",
    type: t.list,
    default: [],
    doc: "Host names that the dashboard answers to, besides those of loopback.",
  }),
  dashboardReadOnly: nodeOption({
    member: "dashboard.readOnly",
    flag: "dashboard.readonly",
    type: t.boolean,
    default: false,
    doc: "Allows no changes through the dashboard.",
  }),
  dashboardPublicRead: nodeOption({
    member: "dashboard.publicRead",
    flag: "dashboard.public-read",
    type: t.boolean,
    default: false,
    doc: "Shows the dashboard without the token in its link; changing something or using a key still needs it.",
  }),
} as const;
