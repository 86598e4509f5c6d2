import { describe, expect, it } from "vitest";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import type { BlockProducer } from "./block-producer.ts";
import { CouncilEngine } from "./council-engine.ts";
import type { IstanbulRules } from "./istanbul/istanbul-rules.ts";

/** What happened, in order. */
function engine(name: string, happened: string[], failing: "start" | "stop" | "none" = "none") {
  const step = (what: "start" | "stop"): void => {
    happened.push(`${name} ${what}`);
    if (failing === what) throw new Error(`${name} cannot ${what}`);
  };
  const { start, stop } = { start: () => step("start"), stop: async () => step("stop") };
  return { start, stop };
}

/** A node that is no longer the only validator, and whose engines may fail. */
function handedOver(failing: { readonly solo?: "stop"; readonly istanbul?: "start" }) {
  const happened: string[] = [];
  const told: string[] = [];
  const council = { size: 1 };
  let onHead = (): void => {};
  const producer = {
    onHead(listener: () => void) {
      onHead = listener;
      return () => {
        onHead = () => {};
      };
    },
  } as unknown as BlockProducer;
  const logger: Logger = { ...silentLogger, error: (_, data) => told.push(String(data?.["error"])) };
  const both = new CouncilEngine({
    rules: {} as IstanbulRules,
    proposer: { address: new Uint8Array(20), settings: {} },
    solo: engine("solo", happened, failing.solo),
    istanbul: engine("istanbul", happened, failing.istanbul),
    isSoleValidator: () => council.size === 1,
    logger,
  });
  both.start(producer);
  onHead();
  council.size = 2;
  onHead();
  onHead();
  return { both, happened, told };
}

describe("a node that was the only validator", () => {
  it("runs the BFT protocol once there are others", async () => {
    const { both, happened, told } = handedOver({});
    await new Promise(setImmediate);
    expect(happened).toEqual(["solo start", "solo stop", "istanbul start"]);
    await both.stop();
    expect(told).toEqual([]);
  });

  it("reports a failed start of the BFT engine, and stops cleanly", async () => {
    const { both, happened, told } = handedOver({ istanbul: "start" });
    await new Promise(setImmediate);
    expect(told).toEqual(["Error: istanbul cannot start"]);
    await both.stop();
    expect(happened.slice(-2)).toEqual(["solo stop", "istanbul stop"]);
  });

  it("stops the other engine if one fails to stop", async () => {
    const { both, happened, told } = handedOver({ solo: "stop" });
    await expect(both.stop()).rejects.toThrow("solo cannot stop");
    expect(told).toEqual(["Error: solo cannot stop"]);
    expect(happened).toEqual(["solo start", "solo stop", "solo stop", "istanbul stop"]);
  });
});
