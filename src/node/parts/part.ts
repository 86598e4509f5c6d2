import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { NodeOptions } from "../node-options.ts";
import type { LogRing } from "../service/dashboard/samples/log-ring.ts";
import type { Part, PartDeclaration, PartSet } from "./compose.ts";

/** What every part of a node is given. */
export interface NodeContext {
  readonly options: NodeOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** The newest lines of that logger, if they are kept for display. */
  readonly recentLog: LogRing | undefined;
  /** Whether the node is stopping. */
  isStopping(): boolean;
}

/** Declares a part of a node; the types of what it is given follow from `needs`, that of its offer from `start`. */
export function part<const Needs extends PartSet<NodeContext>, Offer>(
  declaration: PartDeclaration<Needs, Offer, NodeContext>,
): Part<Offer, NodeContext> {
  return declaration;
}
