import { useState } from "preact/hooks";
import { SERIES, type SeriesName } from "../../rpc/spec/dashboard/wire.ts";
import { Spark } from "../components/charts/spark.tsx";
import { Facts, Nothing, Panel, RawJson } from "../components/panel.tsx";
import { blockColumns, transactionColumns } from "../components/rows.tsx";
import { LiveTable } from "../components/table.tsx";
import { Copy, Hash, Tag } from "../components/text.tsx";
import { bytes, duration, gkei, grouped } from "../kernel/format.ts";
import { type Live, useLive } from "../kernel/live.ts";
import { useOverview } from "../kernel/overview.ts";
import { screen } from "../kernel/screen.ts";

/** Rows per list. */
const ROWS = 12;
/** Seconds shown in the small plots. */
const PLOTTED = 120;
/** Blocks whose intervals are plotted. */
const INTERVALS = 30;

/** The node at a glance. */
export const home = screen({
  path: "/",
  title: "Home",
  menu: { label: "Home", icon: "M4 11 12 4l8 7v8.500h-5.500V14h-5v5.500H4z" },
  component: Home,
});

function Home() {
  const live = useLive();
  const newest = (name: SeriesName): number | undefined => live.samples.at(-1)?.values[SERIES.indexOf(name)];
  const lately = (name: SeriesName): readonly [string, readonly number[]] => [
    `${name} in the last two minutes`,
    live.samples.slice(-PLOTTED).map(({ values }) => values[SERIES.indexOf(name)] ?? 0),
  ];
  const overview = useOverview();
  const { pending, queued, peers, databaseBytes, heapBytes } = overview;
  return (
    <>
      <div class="cards">
        <Card
          name="Height"
          value={`#${grouped(live.height ?? overview.height)}`}
          spark={["seconds between the newest blocks", intervals(live)]}
        />
        <Card
          name="Transactions / s"
          value={grouped(newest("transactions") ?? 0)}
          spark={lately("transactions")}
        />
        <Card name="Gas / s" value={grouped(newest("gas") ?? 0)} spark={lately("gas")} />
        <Card name="Base fee" value={gkei(BigInt(live.blocks[0]?.baseFee ?? overview.baseFee))} />
        <Card
          name="Pool"
          value={`${newest("pending") ?? pending} / ${newest("queued") ?? queued}`}
          spark={lately("pending")}
        />
        <Card name="Peers" value={String(newest("peers") ?? peers)} />
        <Card name="Memory" value={bytes(newest("heap") ?? heapBytes)} spark={lately("heap")} />
        <Card name="Database" value={bytes(databaseBytes)} />
      </div>
      <div class="columns">
        <LiveTable
          title="Newest blocks"
          columns={blockColumns.filter(({ isExtra }) => !isExtra)}
          rows={live.blocks.slice(0, ROWS)}
          keyOf={({ hash }) => hash}
          empty="No block yet."
        />
        <LiveTable
          title="Newest transactions"
          columns={transactionColumns.filter(({ name }) => !["Block", "From", "To"].includes(name))}
          rows={live.rows.slice(0, ROWS)}
          keyOf={({ hash }) => hash}
          empty="No transaction yet. Send one to the address under “Connect”."
        />
        <Connect />
        <About />
      </div>
    </>
  );
}

/** A number, and its recent course. @param spark - label and values of a line */
function Card({
  name,
  value,
  spark,
}: {
  readonly name: string;
  readonly value: string;
  readonly spark?: readonly [string, readonly number[]];
}) {
  return (
    <div class="card">
      <div class="name">{name}</div>
      <div class="value">{value}</div>
      {spark && <Spark label={spark[0]} values={spark[1]} />}
    </div>
  );
}

/** Intervals between the latest blocks, in seconds. */
function intervals({ blocks }: Live): readonly number[] {
  return blocks
    .slice(1, INTERVALS)
    .map(({ time }, i) => (blocks[i]?.time ?? time) - time)
    .reverse();
}

function About() {
  const overview = useOverview();
  const { version, role, chainId, genesisHash, forks, uptimeMs } = overview;
  return (
    <Panel title="Node">
      <Facts
        entries={[
          ["Version", `kairn ${version}`],
          ["Role", role],
          ["Chain id", `${chainId} (0x${chainId.toString(16)})`],
          ["Genesis", <Hash key="genesis" value={genesisHash} to="/blocks/0" />],
          ["Uptime", duration(uptimeMs / 1000)],
          [
            "Forks",
            <span key="forks" class="what">
              {forks.map(({ name, block }) => (
                <Tag key={name}>
                  {name}
                  {block > 0 ? ` #${grouped(block)}` : ""}
                </Tag>
              ))}
            </span>,
          ],
        ]}
      />
      <RawJson value={overview} />
    </Panel>
  );
}

const SNIPPETS = {
  viem: (url: string, chainId: number) =>
    `import { createPublicClient, defineChain, http } from "viem";

const chain = defineChain({
  id: ${chainId},
  name: "kairn",
  nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
  rpcUrls: { default: { http: ["${url}"] } },
});
const client = createPublicClient({ chain, transport: http() });`,
  ethers: (url: string) => `import { JsonRpcProvider } from "ethers";

const provider = new JsonRpcProvider("${url}");`,
  caver: (url: string) => `import Caver from "caver-js";

const caver = new Caver("${url}");`,
} as const;

function Connect() {
  const { endpoints, chainId } = useOverview();
  const [library, setLibrary] = useState<keyof typeof SNIPPETS>("viem");
  const url = endpoints.http ?? endpoints.ws;
  if (url === undefined)
    return (
      <Panel title="Connect">
        <Nothing>
          JSON-RPC is served neither over HTTP nor over WebSocket; <code>--http</code> or <code>--ws</code>{" "}
          enables it.
        </Nothing>
      </Panel>
    );
  const code = SNIPPETS[library](url, chainId);
  return (
    <Panel title="Connect">
      <Facts
        entries={[
          ["HTTP", endpoints.http && <Endpoint url={endpoints.http} />],
          ["WebSocket", endpoints.ws && <Endpoint url={endpoints.ws} />],
          ["IPC", endpoints.ipc && <Endpoint url={endpoints.ipc} />],
          ["MetaMask", `Add a network: name kairn, the HTTP address, chain id ${chainId}, symbol KAIA`],
        ]}
      />
      <div class="tabs" role="tablist" aria-label="Library">
        {(Object.keys(SNIPPETS) as (keyof typeof SNIPPETS)[]).map((name) => (
          <button
            key={name}
            type="button"
            class="small"
            role="tab"
            aria-selected={name === library}
            onClick={() => setLibrary(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="raw-text">
        <Copy text={code} what="example" />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre tabIndex={0}>{code}</pre>
      </div>
    </Panel>
  );
}

function Endpoint({ url }: { readonly url: string }) {
  return (
    <span class="hex">
      {url}
      <Copy text={url} what="address" />
    </span>
  );
}
