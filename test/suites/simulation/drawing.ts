import type { History, Mark, TimedMark } from "./history.ts";

/** Pixels. */
const WIDTH = 1600;
const LEFT = 40;
const TOP = 70;
const LANE = 90;
const COLOURS = {
  preprepare: "#0a7a3c",
  prepare: "#2563eb",
  commit: "#9333ea",
  roundChange: "#dc2626",
} as const;

/** The part of a run that is drawn, in milliseconds. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Draws validators as lanes over time: messages between them, blocks, rounds, and faults. @returns SVG */
export function draw(history: History, validators: number, { fromMs, toMs }: Window, title: string): string {
  const height = TOP + validators * LANE + 30;
  const x = (ms: number) =>
    round(LEFT + ((Math.max(fromMs, Math.min(toMs, ms)) - fromMs) / (toMs - fromMs)) * (WIDTH - LEFT - 10));
  const y = (validator: number) => TOP + validator * LANE + LANE / 2;
  const marks = history.marks.filter(({ at }) => at >= fromMs && at <= toMs);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${LEFT}" y="16" font-size="13">${title}</text>`,
    ...faults(history, toMs, x, height),
    ...Array.from({ length: validators }, (_, id) => lane(id, history.marks, toMs, x, y(id))),
    ...(["preprepare", "prepare", "commit", "roundChange"] as const).map((kind) =>
      flights(marks, kind, x, y),
    ),
    ...marks.map((mark) => sign(mark, x(mark.at), y(mark.validator))),
    ...seconds(fromMs, toMs, x, height),
    ...legend(height),
    "</svg>\n",
  ].join("\n");
}

type Scale = (value: number) => number;

function faults({ faults: spans }: History, toMs: number, x: Scale, height: number): string[] {
  return spans.flatMap(({ from, name }, i) => {
    const [left, right] = [x(from), x(spans[i + 1]?.from ?? toMs)];
    if (name === "" || right <= left) return [];
    return [
      `<rect x="${left}" y="26" width="${round(right - left)}" height="${height - 52}" fill="#f59e0b" opacity="0.12"/>`,
      `<text x="${left + 3}" y="${36 + 11 * (i % 4)}" fill="#b45309" font-size="10">${name}</text>`,
    ];
  });
}

/** The line of a validator, interrupted while it is down. */
function lane(id: number, marks: readonly TimedMark[], toMs: number, x: Scale, y: number): string {
  let upSince: number | undefined;
  let path = "";
  for (const { at, validator, what } of marks) {
    if (validator !== id) continue;
    if (what === "up") upSince = at;
    else if (what === "down" && upSince !== undefined) {
      path += `M${x(upSince)} ${y}H${x(at)}`;
      upSince = undefined;
    }
  }
  if (upSince !== undefined) path += `M${x(upSince)} ${y}H${x(toMs)}`;
  return `<text x="8" y="${y + 4}" font-size="13">${id}</text><path d="${path}" stroke="#334155" stroke-width="2" fill="none"/>`;
}

function flights(marks: readonly TimedMark[], kind: keyof typeof COLOURS, x: Scale, y: Scale): string {
  let arrived = "";
  let lost = "";
  for (const mark of marks) {
    const from = y(mark.validator);
    if (mark.what === "flight" && mark.kind === kind)
      arrived += `M${x(mark.at)} ${from}L${x(mark.until)} ${y(mark.to)}`;
    else if (mark.what === "lost" && mark.kind === kind)
      lost += `M${x(mark.at)} ${from}l3 ${round((y(mark.to) - from) / 6)}`;
  }
  const stroke = `stroke="${COLOURS[kind]}" fill="none"`;
  return `<path d="${arrived}" ${stroke} opacity="0.45"/><path d="${lost}" ${stroke} stroke-dasharray="2 2" opacity="0.6"/>`;
}

function sign(mark: Mark, x: number, y: number): string {
  if (mark.what === "block")
    return `<circle cx="${x}" cy="${y}" r="4" fill="#111"/><text x="${x + 5}" y="${y - 6}" font-weight="bold">${mark.number}</text>`;
  if (mark.what === "round" && mark.round > 0)
    return (
      `<path d="M${x} ${y - 7}V${y + 7}" stroke="#dc2626" stroke-width="2"/><text x="${x + 2}" y="${y + 17}" ` +
      `fill="#dc2626">r${mark.round}</text>`
    );
  if (mark.what === "down") return `<text x="${x - 5}" y="${y + 5}" fill="#dc2626" font-size="15">✕</text>`;
  return mark.what === "up" ? `<path d="M${x} ${y - 6}V${y + 6}" stroke="#334155" stroke-width="2"/>` : "";
}

function seconds(fromMs: number, toMs: number, x: Scale, height: number): string[] {
  const step = toMs - fromMs > 30_000 ? 5000 : 1000;
  const ticks: string[] = [];
  for (let ms = Math.ceil(fromMs / step) * step; ms < toMs; ms += step)
    ticks.push(`<text x="${x(ms)}" y="${height - 18}" fill="#64748b">${ms / 1000} s</text>`);
  return ticks;
}

function legend(height: number): string[] {
  const kinds = Object.entries(COLOURS).map(
    ([kind, colour], i) => `<text x="${LEFT + i * 90}" y="${height - 4}" fill="${colour}">${kind}</text>`,
  );
  const signs =
    "● block inserted · r2 round begun · ✕ crash · dashed: lost · shaded: faults of the links, or crashes";
  return [...kinds, `<text x="${LEFT + 4 * 90}" y="${height - 4}" fill="#64748b">${signs}</text>`];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
