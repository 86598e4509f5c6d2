import { BaseEngine } from "./istanbul/base-engine.ts";

/** The engine of a node that only follows the chain: it verifies blocks, but prepares and seals none. */
export class FollowingEngine extends BaseEngine {
  start(): void {}
  async stop(): Promise<void> {}
}
