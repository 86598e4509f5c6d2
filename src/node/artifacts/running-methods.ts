import { api } from "../../api/rpc/spec/api.ts";
import { REVERTED } from "../../api/rpc/spec/declared-errors.ts";
import type { Method } from "../../api/rpc/spec/method.ts";

const methods = Object.entries<Method>(api);

/** The methods that run a message, as they are declared: the first parameter, on the block of the second. */
export const RUNNING_METHODS: ReadonlySet<string> = new Set(
  methods.filter(([, { errors }]) => errors?.includes(REVERTED)).map(([name]) => name),
);
