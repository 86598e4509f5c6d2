import { describe, expect, it } from "vitest";
import { Composition, type Part } from "./compose.ts";

/** A part that records its starts and stops; `fails` names the step that goes wrong. */
function recording(
  log: string[],
  name: string,
  needs: Record<string, Part<unknown, string[]>> = {},
  fails?: "start" | "stop" | "never stops",
): Part<string, string[]> {
  return {
    ...{ name, needs, stopMs: 20 },
    start(given) {
      log.push(`+${name}(${Object.entries(given).flat().join(" ")})`);
      if (fails === "start") throw new Error(`${name} cannot start`);
      return {
        offers: name.toUpperCase(),
        stop() {
          log.push(`-${name}`);
          if (fails === "never stops") return new Promise<void>(() => {});
          if (fails === "stop") throw new Error(`${name} cannot stop`);
          return undefined;
        },
      };
    },
  };
}

describe("Composition", () => {
  it("starts dependencies first, each once, and stops in reverse order", async () => {
    const log: string[] = [];
    const disk = recording(log, "disk");
    const pool = recording(log, "pool", { disk });
    const server = recording(log, "server", { store: disk, pool });
    const composition = new Composition(log);
    expect(await composition.startAll({ server, disk })).toEqual({ server: "SERVER", disk: "DISK" });
    expect(composition.isStopping).toBe(false);
    await composition.stop();
    expect(composition.isStopping).toBe(true);
    await composition.stop();
    expect(log).toEqual([
      "+disk()",
      "+pool(disk DISK)",
      "+server(store DISK pool POOL)",
      ...["-server", "-pool", "-disk"],
    ]);
  });

  it("stops the running parts if one fails to start, but not the failed one", async () => {
    const log: string[] = [];
    const disk = recording(log, "disk");
    const port = recording(log, "port", { disk }, "start");
    const composition = new Composition(log);
    await expect(composition.start(recording(log, "server", { port }))).rejects.toThrowError(
      "port cannot start",
    );
    await composition.stop();
    expect(log).toEqual(["+disk()", "+port(disk DISK)", "-disk"]);
  });

  it("continues stopping after parts that fail or hang, and throws the first error", async () => {
    const log: string[] = [];
    const disk = recording(log, "disk", {}, "stop");
    const peer = recording(log, "peer", { disk }, "never stops");
    const composition = new Composition(log);
    await composition.start(recording(log, "server", { peer }));
    await expect(composition.stop()).rejects.toMatchObject({
      code: "PART_STOP",
      message: "peer did not stop within 20 ms",
    });
    expect(log.slice(3)).toEqual(["-server", "-peer", "-disk"]);
  });
});
