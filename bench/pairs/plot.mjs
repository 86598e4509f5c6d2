// A plot of measured rows as SVG: for each row and node a bar, as a multiple of the first node, with a dot for each pair of windows.
import { median } from "./verdict.mjs";

const COLOURS = ["#8a8f98", "#2f6fde", "#d0762b", "#3c9a5f"];
const LABEL_WIDTH = 280;
const PLOT_WIDTH = 520;
const BAR = 12;
const GAP = 10;

/** @param rows `{ name, figures: { peer: number[] } }`, each row of the same peers, of which the first is 1 @returns the text of the SVG */
export function plot(rows) {
  const peers = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const most = Math.max(
    2,
    ...rows.flatMap((row) => peers.map((peer) => Math.min(4, median(ratiosOf(row, peer))))),
  );
  const x = (ratio) => LABEL_WIDTH + (PLOT_WIDTH * Math.min(ratio, most)) / most;
  const rowHeight = peers.length * BAR + GAP;
  const height = 40 + rows.length * rowHeight;
  const legend = peers.map(
    (peer, i) =>
      `<rect x="${LABEL_WIDTH + i * 110}" y="8" width="10" height="10" fill="${COLOURS[i]}"/><text x="${LABEL_WIDTH + 16 + i * 110}" y="17">${escaped(peer)}</text>`,
  );
  const bars = rows.flatMap((row, at) => {
    const top = 34 + at * rowHeight;
    const label = `<text x="${LABEL_WIDTH - 8}" y="${top + rowHeight / 2}" text-anchor="end">${escaped(row.name)}</text>`;
    return [
      label,
      ...peers.flatMap((peer, i) => barOf(row, peer, { y: top + i * BAR, x, colour: COLOURS[i] })),
    ];
  });
  const one = `<line x1="${x(1)}" x2="${x(1)}" y1="28" y2="${height - 6}" stroke="#888" stroke-dasharray="3 3"/>`;
  const size = `viewBox="0 0 ${LABEL_WIDTH + PLOT_WIDTH + 20} ${height}"`;
  const style = `font-family="sans-serif" font-size="11" fill="#555"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>${[...legend, ...bars, one].join("")}</svg>\n`;
}

function barOf(row, peer, { y, x, colour }) {
  const ratios = ratiosOf(row, peer);
  const bar = `<rect x="${x(0)}" y="${y}" width="${(x(median(ratios)) - x(0)).toFixed(1)}" height="${BAR - 3}" fill="${colour}"/>`;
  const dots = ratios.map(
    (ratio) =>
      `<circle cx="${x(ratio).toFixed(1)}" cy="${y + BAR / 2 - 1}" r="1.5" fill="#000" fill-opacity="0.4"/>`,
  );
  return [bar, ...dots];
}

/** Of neighbouring windows, as the verdict takes them. */
function ratiosOf({ figures }, peer) {
  const [first] = Object.values(figures);
  return figures[peer].map((figure, i) => figure / first[i]);
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
