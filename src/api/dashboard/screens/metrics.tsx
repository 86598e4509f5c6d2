import { useEffect, useState } from "preact/hooks";
import type { CallTimes } from "../../rpc/spec/dashboard/wire.ts";
import { PLOTS } from "../components/charts/plots.ts";
import { Panel, Problem } from "../components/panel.tsx";
import { Table, type TableColumn } from "../components/table.tsx";
import { grouped } from "../kernel/format.ts";
import { seed, useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Measurements of the last hour, as plots. */
export const metrics = screen({
  path: "/metrics",
  title: "Metrics",
  menu: { label: "Metrics", icon: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6" },
  component: Metrics,
});

/** Draws plots; loaded on first use. */
type Plots = typeof import("../components/charts/plot.ts");

/** Selectable time spans, in minutes. */
const SPANS = [5, 15, 60] as const;

/** Interval of reloading the methods. */
const RELOAD_MS = 5_000;
/** Maximum methods shown. */
const MAX_METHODS = 50;

function Metrics() {
  const { samples } = useLive();
  const [minutes, setMinutes] = useState<(typeof SPANS)[number]>(15);
  const { error } = useCall(async () => seed({ samples: await node.samples() }), "samples");
  const [library, setLibrary] = useState<Plots>();
  useEffect(() => {
    void import("../components/charts/plot.ts").then(setLibrary);
  }, []);
  if (error) return <Problem error={error} />;
  const shown = samples.slice(-60 * minutes);
  return (
    <>
      <fieldset class="spans">
        <legend class="unseen">Time span</legend>
        {SPANS.map((span) => (
          <button
            key={span}
            type="button"
            class="small"
            aria-pressed={span === minutes}
            onClick={() => setMinutes(span)}
          >
            {span} min
          </button>
        ))}
      </fieldset>
      <div class="columns">
        {PLOTS.map((plot) => (
          <Panel key={plot.title} title={plot.title}>
            {library ? <library.Plot plot={plot} samples={shown} /> : <div class="plot" />}
          </Panel>
        ))}
      </div>
      <CallsByMethod />
    </>
  );
}

/** Call durations by method. */
function CallsByMethod() {
  const { data = [], error, reload } = useCall(() => node.callTimes(), "calls");
  useEffect(() => {
    const timer = window.setInterval(reload, RELOAD_MS);
    return () => window.clearInterval(timer);
  }, [reload]);
  if (error) return <Problem error={error} />;
  return (
    <Panel title="RPC calls by method">
      <Table
        caption="RPC calls by method"
        columns={callColumns}
        rows={data.slice(0, MAX_METHODS)}
        keyOf={({ method }) => method}
        empty="No method has been called yet."
      />
    </Panel>
  );
}

const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;

const callColumns: readonly TableColumn<CallTimes>[] = [
  { name: "Method", show: ({ method }) => <code>{method}</code> },
  { name: "Calls", show: ({ calls }) => grouped(calls), isNumber: true },
  { name: "Failed", show: ({ failures }) => grouped(failures), isNumber: true, isExtra: true },
  { name: "Median", show: ({ p50 }) => milliseconds(p50), isNumber: true },
  { name: "95 %", show: ({ p95 }) => milliseconds(p95), isNumber: true, isExtra: true },
  { name: "99 %", show: ({ p99 }) => milliseconds(p99), isNumber: true },
];
