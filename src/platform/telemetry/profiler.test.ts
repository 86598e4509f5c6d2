import { expect, it } from "vitest";
import { Profiler } from "./profiler.ts";

it("opens the inspector on loopback only, and never reveals its URL", () => {
  const profiler = new Profiler();
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.0.0.1.example.org", ""])
    expect(() => profiler.openInspector(host, 6060)).toThrow("on loopback only");
  for (const port of [-1, 0, 65_536, 1.5, Number.NaN])
    expect(() => profiler.openInspector("127.0.0.1", port)).toThrow("ports are 1 to 65535");
  expect(profiler.isInspecting).toBe(false);
  expect(() => profiler.closeInspector()).toThrow("not running");
});

it("reports first that the inspector is open, whatever was requested", () => {
  const profiler = new Profiler();
  Object.defineProperty(profiler, "isInspecting", { value: true });
  expect(() => profiler.openInspector("0.0.0.0", 6060)).toThrow("pprof server is already running");
});
