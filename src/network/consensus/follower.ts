import type { ConsensusEngine } from "./engine.ts";
import { ConsensusError } from "./errors.ts";
import type { IstanbulRules } from "./istanbul/istanbul-rules.ts";

/**
 * The engine of a node that only follows: it verifies blocks and seals none.
 * @throws ConsensusError `UNAUTHORIZED` from `prepare`
 */
export function createFollower(rules: IstanbulRules): ConsensusEngine {
  return {
    verifyHeader: (header, parent) => rules.verifyHeader(header, parent),
    verifyAhead: (headers) => rules.verifyAhead(headers),
    author: (header) => rules.author(header),
    prepare() {
      throw new ConsensusError("UNAUTHORIZED", "unauthorized");
    },
    start() {},
    stop: async () => {},
  };
}
