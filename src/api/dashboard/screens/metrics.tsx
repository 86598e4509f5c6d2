import { useEffect, useState } from "preact/hooks";
import { Panel, Problem } from "../components/panel.tsx";
import { PLOTS } from "../components/plots.ts";
import { seed, useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** What was measured in the last hour, as plots. */
export const metrics = screen({
  path: "/metrics",
  title: "Metrics",
  menu: { label: "Metrics", icon: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6" },
  component: Metrics,
});

/** What draws plots; loaded with its library when they are looked at. */
type Plots = typeof import("../components/plot.ts");

/** Minutes that are shown. */
const SPANS = [5, 15, 60] as const;

function Metrics() {
  const { samples } = useLive();
  const [minutes, setMinutes] = useState<(typeof SPANS)[number]>(15);
  const { error } = useCall(async () => seed({ samples: await node.samples() }), "samples");
  const [library, setLibrary] = useState<Plots>();
  useEffect(() => {
    void import("../components/plot.ts").then(setLibrary);
  }, []);
  if (error) return <Problem error={error} />;
  const shown = samples.slice(-60 * minutes);
  return (
    <>
      <fieldset class="spans">
        <legend class="unseen">Time that is shown</legend>
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
    </>
  );
}
