import { NodeError } from "../primitives/errors.ts";

/** A chain configuration or a governance parameter that the reference node refuses; the message is its text. */
export class ParamsError extends NodeError<
  | "CONFIG_FORMAT"
  | "CONFIG_DEPRECATED_ENGINE"
  | "CONFIG_FORK_ORDER"
  | "CONFIG_INCOMPATIBLE"
  | "PARAMETER_VALUE"
> {
  override name = "ParamsError";
}
