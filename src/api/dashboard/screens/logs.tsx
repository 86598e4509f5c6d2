import { useState } from "preact/hooks";
import type { LogLine } from "../../rpc/spec/dashboard/wire.ts";
import { Choice, Field } from "../components/form.tsx";
import { Problem } from "../components/panel.tsx";
import { LiveTable } from "../components/table.tsx";
import { Foreign, Tag, type Tone } from "../components/text.tsx";
import { dateTime } from "../kernel/format.ts";
import { seed, useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Maximum lines shown. */
const MAX_ROWS = 150;
const LEVELS = ["crit", "error", "warn", "info"] as const;
const TONES: Readonly<Record<string, Tone>> = { crit: "bad", error: "bad", warn: "warn", info: "info" };

/** The log of the node, live. */
export const logs = screen({
  path: "/logs",
  title: "Log",
  menu: { label: "Log", icon: "M5 6h14M5 10h14M5 14h9M5 18h6" },
  needs: ["dashboard_logLines"],
  component: Logs,
});

function Logs() {
  const { lines } = useLive();
  const [level, setLevel] = useState<string>("info");
  const [text, setText] = useState("");
  const { error } = useCall(async () => seed({ lines: await node.logLines() }), "lines");
  if (error) return <Problem error={error} />;
  const max = LEVELS.indexOf(level as (typeof LEVELS)[number]);
  const isWanted = (line: LogLine): boolean =>
    LEVELS.indexOf(line.level as (typeof LEVELS)[number]) <= max &&
    `${line.room} ${line.message}`.includes(text);
  return (
    <>
      <div class="filters">
        <Choice
          label="Level"
          value={level}
          onInput={setLevel}
          options={LEVELS.map((name) => [name, name === "crit" ? "crit" : `${name} and above`])}
        />
        <Field label="Component or message contains" value={text} onInput={setText} />
      </div>
      <LiveTable
        title="Lines, newest first"
        columns={columns}
        rows={lines.filter(isWanted).slice(-MAX_ROWS).reverse()}
        keyOf={({ id }) => String(id)}
        empty="No lines match."
      />
    </>
  );
}

const columns = [
  { name: "Time", show: ({ at }: LogLine) => <time>{dateTime(at / 1000).slice(11)}</time> },
  { name: "Level", show: ({ level }: LogLine) => <Tag tone={TONES[level] ?? "plain"}>{level}</Tag> },
  { name: "Component", show: ({ room }: LogLine) => <Foreign text={room} />, isExtra: true },
  {
    name: "Message",
    show: ({ message, data }: LogLine) => (
      <>
        <Foreign text={message} />
        {Object.entries(data).map(([name, value]) => (
          <span key={name} class="datum">
            {" "}
            <Foreign text={name} />=<Foreign text={value} maxLength={500} />
          </span>
        ))}
      </>
    ),
  },
];
