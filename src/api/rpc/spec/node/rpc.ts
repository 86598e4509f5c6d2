import { wire } from "../../../../protocol/codec/json/object.ts";
import { method } from "../method.ts";

/** Module names with their version. */
export type Modules = Readonly<Record<string, "1.0">>;

/** The modules that the transport serves. */
export const rpc = {
  modules: method({
    summary: "Lists the modules that are enabled on this transport, with their versions.",
    params: {},
    result: wire<Modules>("Modules", { type: "object", additionalProperties: { type: "string" } }),
    scope: "chain",
  }),
  discover: method({
    summary: "Describes every method that this transport serves as an OpenRPC document.",
    params: {},
    result: wire<Readonly<Record<string, unknown>>>("OpenRPC document", { type: "object" }),
    scope: "chain",
  }),
};
