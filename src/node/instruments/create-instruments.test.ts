import { expect, it, vi } from "vitest";
import { createBudget } from "../../api/rpc/services/budget.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { GarbageCollector } from "../../platform/telemetry/garbage-collector.ts";
import { createInstruments } from "./create-instruments.ts";

const MIB = 2 ** 20;

it("collect garbage of a node with clients until it stops, but not for responses and bodies in use", () => {
  vi.useFakeTimers();
  try {
    const begun = vi.spyOn(GarbageCollector.prototype, "begin").mockImplementation(() => {});
    const holds = (mib: number) => ({ allocated: mib * MIB, old: mib * MIB, young: MIB });
    const footprint = vi.spyOn(GarbageCollector.prototype, "footprint").mockReturnValue(holds(20));
    const budget = createBudget();
    const instruments = createInstruments(createSimulatedRuntime());
    instruments.watchClients(budget);
    vi.advanceTimersByTime(3_000);
    budget.unsent.set({ cutOff: () => {} }, 200 * MIB);
    budget.bodies.take(100 * MIB);
    footprint.mockReturnValue(holds(320));
    vi.advanceTimersByTime(60_000);
    expect(begun).toHaveBeenCalledTimes(0);
    budget.bodies.give(100 * MIB);
    vi.advanceTimersByTime(60_000);
    expect(begun).toHaveBeenCalledTimes(1);
    footprint.mockReturnValue(holds(400));
    instruments.stop();
    vi.advanceTimersByTime(60_000);
    expect(begun).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});
