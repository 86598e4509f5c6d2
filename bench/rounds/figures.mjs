// Names of a round's records in tables and plots: one row per figure, one column per node.

/** Fields of the keystore phase and their labels. */
const KEYSTORE = {
  p50Ms: "median ms",
  p99Ms: "p99 ms",
  cpuSeconds: "CPU s each",
  wallMs: "ms in all",
  othersP99Ms: "p99 ms of other calls meanwhile",
  aloneP99Ms: "p99 ms of other calls before",
  rssMiB: "MiB afterwards",
  perServerCpu: "per server CPU s",
  rps: "per s by the clock",
};
/** Label parts of rows in which less is better. */
const IS_LESS_BETTER = /\bms\b|Ms\b|MiB|CPU s each/;

/** @returns rows in order of appearance, `{ name, isLessBetter, figures: { peer: number[] } }` */
export function rowsOf(records) {
  const rows = new Map();
  for (const record of records) {
    for (const [name, value] of figuresOf(record)) {
      if (typeof value !== "number") continue;
      const row = rows.get(name) ?? { name, isLessBetter: IS_LESS_BETTER.test(name), figures: {} };
      rows.set(name, row);
      row.figures[record.peer] = [...(row.figures[record.peer] ?? []), value];
    }
  }
  return [...rows.values()];
}

function figuresOf(record) {
  if (record.error) return [];
  switch (record.kind) {
    case "startup":
      return [
        ["start to first answer, ms", record.startMs],
        ["idle RSS, MiB", record.idleRssMiB],
      ];
    case "read":
      return [
        [
          `${record.transport} ${record.name}, ${record.conns} conn, per server CPU s`,
          record.rpsPerServerCpu,
        ],
      ];
    case "read-batch100":
      return [
        [`batch of 100 ${record.name}, ${record.conns} conn, per server CPU s`, record.rpsPerServerCpu],
      ];
    case "evm":
      return [[`EVM ${record.name}, Mgas per server CPU s`, record.mgasPerServerCpu]];
    case "submit":
      return [
        [`submit ${record.name}, per s by the clock`, record.tps],
        [`submit ${record.name}, per server CPU s`, record.tpsPerServerCpu],
      ];
    case "keystore":
      return Object.entries(KEYSTORE).map(([field, unit]) => [`${record.name}, ${unit}`, record[field]]);
    default:
      return Object.entries(record)
        .filter(([field]) => /PerServerCpu|Ms$/.test(field))
        .map(([field, value]) => [`${record.kind} ${record.accounts ?? ""}: ${field}`, value]);
  }
}
