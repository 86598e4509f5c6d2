// A plot of measured rows as SVG: for each row and node a bar, as a multiple of the first node, with a dot for each figure.
import { median } from "./pairs/verdict.mjs";

const COLOURS = ["#8a8f98", "#2f6fde", "#d0762b", "#3c9a5f", "#a0489b", "#b59a1c"];
const LABEL_WIDTH = 320;
const PLOT_WIDTH = 480;
const BAR = 12;
const GAP = 10;
/** Largest multiple of the first node that is drawn; longer bars end there, with their figure. */
const MAX = 4;

/**
 * Draws rows; longer is better.
 * @param rows `{ name, isLessBetter?, figures: { peer: number[] } }`; the first peer of a row is 1 in it
 * @returns the text of the SVG
 */
export function plot(rows) {
  const peers = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const longest = rows.flatMap((row) => Object.keys(row.figures).map((peer) => median(ratiosOf(row, peer))));
  const max = Math.min(MAX, Math.max(2, ...longest));
  const x = (ratio) => LABEL_WIDTH + (PLOT_WIDTH * Math.min(ratio, max)) / max;
  const legend = peers.map((peer, i) => {
    const left = LABEL_WIDTH + i * 100;
    return `<rect x="${left}" y="8" width="10" height="10" fill="${COLOURS[i]}"/><text x="${left + 16}" y="17">${escaped(peer)}</text>`;
  });
  let top = 34;
  const bars = rows.flatMap((row) => {
    const here = Object.keys(row.figures);
    const middle = top + (here.length * BAR) / 2 + 3;
    const label = `<text x="${LABEL_WIDTH - 8}" y="${middle}" text-anchor="end">${escaped(row.name)}</text>`;
    const drawn = here.flatMap((peer, i) =>
      barOf(row, peer, { y: top + i * BAR, x, colour: COLOURS[peers.indexOf(peer)] }),
    );
    top += here.length * BAR + GAP;
    return [label, ...drawn];
  });
  const one = `<line x1="${x(1)}" x2="${x(1)}" y1="28" y2="${top - 6}" stroke="#888" stroke-dasharray="3 3"/>`;
  const size = `viewBox="0 0 ${LABEL_WIDTH + PLOT_WIDTH + 70} ${top}"`;
  const style = `font-family="sans-serif" font-size="11" fill="#555"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} ` +
    `${style}><title>${escaped(peers.join(", "))}</title>${[...legend, ...bars, one].join("")}</svg>\n`
  );
}

function barOf(row, peer, { y, x, colour }) {
  const ratios = ratiosOf(row, peer);
  const end = x(median(ratios));
  const bar = `<rect x="${x(0)}" y="${y}" width="${(end - x(0)).toFixed(1)}" height="${BAR - 3}" fill="${colour}"/>`;
  const dots = ratios.map(
    (ratio) =>
      `<circle cx="${x(ratio).toFixed(1)}" cy="${y + BAR / 2 - 1}" r="1.5" fill="#000" fill-opacity="0.4"/>`,
  );
  const figure = `<text x="${Math.max(end, ...ratios.map(x)) + 5}" y="${y + BAR - 3}" font-size="9">${short(median(row.figures[peer]))}</text>`;
  return [bar, ...dots, figure];
}

/** How many times better than the first; of figures that were taken one after the other where there are as many of both. */
function ratiosOf({ figures, isLessBetter }, peer) {
  const [first] = Object.values(figures);
  const own = figures[peer];
  const base = (i) => (own.length === first.length ? first[i] : median(first));
  return own.map((figure, i) => (isLessBetter ? base(i) / figure : figure / base(i)));
}

/** A figure with three digits, from 100 on as a whole number. */
export const short = (value) =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
