import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type Sample, SERIES } from "../../../rpc/spec/dashboard/wire.ts";
import { bytes, grouped } from "../../kernel/format.ts";
import type { PlotOf } from "./plots.ts";

const HEIGHT = 170;
/** Steps of an axis of bytes. */
const BINARY = Array.from({ length: 40 }, (_, power) => 2 ** power);
const COLOURS = ["--accent", "--info", "--warn"];

/** Lines over time, with the value under the pointer. */
export function Plot({ plot, samples }: { readonly plot: PlotOf; readonly samples: readonly Sample[] }) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new uPlot(optionsOf(plot, element), [[], ...plot.lines.map(() => [])], element);
    drawn.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [plot]);
  useEffect(() => {
    const indexes = plot.lines.map(({ series }) => SERIES.indexOf(series));
    const times = samples.map(({ at }) => at / 1000);
    drawn.current?.setData([
      times,
      ...indexes.map((index) => samples.map(({ values }) => values[index] ?? null)),
    ]);
  }, [plot, samples]);
  const newest = samples.at(-1)?.values;
  const description = plot.lines.map(
    ({ label, series }) => `${label} ${written(plot, newest?.[SERIES.indexOf(series)] ?? 0)}`,
  );
  return h("div", {
    class: "plot",
    ref: place,
    role: "img",
    "aria-label": `${plot.title}: ${description.join(", ")}`,
  });
}

function written({ unit }: PlotOf, value: number): string {
  if (unit === "bytes") return bytes(value);
  return unit === "ms" ? `${value.toFixed(1)} ms` : grouped(Math.round(value * 100) / 100);
}

/** For an axis: large numbers in thousands and millions. */
function short(plot: PlotOf, value: number): string {
  if (plot.unit === "bytes" || plot.unit === "ms" || value < 10_000) return written(plot, value);
  return value < 1e6 ? `${value / 1e3} k` : `${value / 1e6} M`;
}

/** `19:54:32` of the viewer's clock. @param time - seconds since 1970 */
function timeOfDay(time: number): string {
  return new Date(time * 1000).toTimeString().slice(0, 8);
}

function optionsOf(plot: PlotOf, element: HTMLElement): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const axis = {
    stroke: () => colour("--muted"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    scales: { y: { range: (_, least, max) => [Math.min(0, least ?? 0), Math.max(1, (max ?? 1) * 1.05)] } },
    axes: [
      { ...axis, space: 80, values: (_, ticks) => ticks.map(timeOfDay) },
      {
        ...axis,
        size: 72,
        ...(plot.unit === "bytes" && { incrs: BINARY }),
        values: (_, ticks) => ticks.map((tick) => short(plot, tick)),
      },
    ],
    series: [
      { label: "at", value: (_, time) => (time == null ? "now" : timeOfDay(time)) },
      ...plot.lines.map(({ label }, i) => ({
        label,
        stroke: () => colour(COLOURS[i] as string),
        width: 1.5,
        points: { show: false },
        // the newest unless the pointer is on the plot
        value: (self: uPlot, value: number | null, series: number) => {
          const shown = value ?? self.data[series]?.at(-1);
          return shown == null ? "–" : written(plot, shown);
        },
      })),
    ],
  };
}
