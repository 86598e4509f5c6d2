import { RuledEngine } from "./istanbul/ruled-engine.ts";

/** The engine of a node that only follows: it verifies blocks, and prepares and seals none. */
export class FollowingEngine extends RuledEngine {
  start(): void {}
  async stop(): Promise<void> {}
}
