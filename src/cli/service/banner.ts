import type { Node } from "../../node/create-node.ts";
import { VERSION } from "../../node/version.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { Paint } from "../activity/paint.ts";
import { forkSchedule } from "./start-line.ts";

const LOGO = ["   ▲      kairn", "  ▲▲▲     a Kaia-protocol chain of your own", " ▲▲▲▲▲"];

/** What a development node shows its user once it has started. */
export interface BannerFacts {
  readonly node: Node;
  readonly dataDir: string | undefined;
  readonly modules: readonly string[];
}

/** The banner as data, for `--json` and `--config-out`. */
export function bannerData({ node, dataDir, modules }: BannerFacts): Record<string, unknown> {
  const { dev, chain, endpoints } = node;
  return {
    version: VERSION,
    chainId: Number(chain.config.chainId),
    genesisHash: bytesToHex(chain.genesisHash),
    blockNumber: Number(chain.head.header.number),
    endpoints,
    modules,
    dataDir: dataDir ?? null,
    ...(node.fork && { fork: { url: node.fork.origin, blockNumber: Number(node.fork.blockNumber) } }),
    mnemonic: dev?.mnemonic,
    derivationPath: dev?.derivationPath,
    accounts: dev?.accounts.map(({ address, privateKey }) => ({
      address: bytesToHex(address),
      privateKey: bytesToHex(privateKey),
    })),
  };
}

/**
 * The banner as text: the endpoints, and the keys of the funded accounts.
 * @param columns - of the terminal; Infinity where lines have no end
 */
export function bannerText(facts: BannerFacts, { bold, dim, green }: Paint, columns: number): string {
  const { node, dataDir, modules } = facts;
  const { dev, chain, endpoints } = node;
  const lines = [
    "",
    ...LOGO.map((line, i) => (i === 0 ? `${green(line)} ${dim(`v${VERSION}`)}` : green(line))),
    "",
  ];
  const row = (label: string, value: string | undefined): void => {
    if (value !== undefined) lines.push(`  ${dim(label.padEnd(11))} ${value}`);
  };
  if (dev) {
    lines.push(
      `  ${bold("Accounts")} ${dim(`each with ${dev.balance / 10n ** 18n} KAIA; the keys are public knowledge`)}`,
      "",
    );
    for (const [i, { address, privateKey }] of dev.accounts.slice(0, MAX_ACCOUNTS).entries()) {
      const key = dim(bytesToHex(privateKey));
      const shown = `  ${dim(`(${i})`)} ${bytesToHex(address)}`;
      if (columns >= ACCOUNT_COLUMNS) lines.push(`${shown}  ${key}`);
      else lines.push(shown, `      ${key}`);
    }
    if (dev.accounts.length > MAX_ACCOUNTS)
      lines.push(dim(`  … and ${dev.accounts.length - MAX_ACCOUNTS} more`));
    lines.push("");
    row("Mnemonic", dev.mnemonic);
    row("Path", `${dev.derivationPath}…`);
  }
  row("Chain id", String(chain.config.chainId));
  row("Fork", node.fork && `block ${node.fork.blockNumber} of ${node.fork.origin}`);
  row("Block", String(chain.head.header.number));
  row("Fork rules", forkSchedule(chain.config.forks, chain.head.header.number));
  row("HTTP", endpoints.http && bold(endpoints.http));
  row("WebSocket", endpoints.ws);
  row("IPC", endpoints.ipc);
  row("Fee payer", endpoints.feePayer);
  row("Dashboard", node.dashboardLink());
  for (const [i, part] of wrapped(modules, columns - LABEL_COLUMNS).entries())
    row(i === 0 ? "Modules" : "", part);
  row("Data", dataDir ?? "in memory");
  const fate = dataDir === undefined ? "is discarded" : "is kept";
  lines.push("", dim(`  Ctrl-C stops the node; the chain ${fate}.`), "");
  return `${lines.join("\n")}\n`;
}

const MAX_ACCOUNTS = 20;
/** Columns of a line with an address and its key, and of the labels. */
const ACCOUNT_COLUMNS = 117;
const LABEL_COLUMNS = 14;

/** Words separated by commas, wrapped at this many columns where possible. */
function wrapped(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const [i, word] of words.entries()) {
    const text = i === words.length - 1 ? word : `${word},`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= columns)
      lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(text);
  }
  return lines;
}
