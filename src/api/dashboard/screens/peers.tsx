import { Spark } from "../components/charts/spark.tsx";
import { Facts, Nothing, Panel, Problem, RawJson, Waiting } from "../components/panel.tsx";
import { Table, type TableColumn } from "../components/table.tsx";
import { Address, BlockNumber, Copy, Foreign, Hash, Tag } from "../components/text.tsx";
import { call } from "../kernel/api.ts";
import { grouped } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { useOverview } from "../kernel/overview.ts";
import { type ProposerRecord, proposersOf } from "../kernel/rounds.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Peers of this node, block proposers, and the rounds they needed. */
export const peers = screen({
  path: "/peers",
  title: "Peers and consensus",
  menu: {
    label: "Peers",
    icon:
      "M12 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM5 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM19 " +
      "21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM11 8 6.500 16M13 8l4.500 8M7.500 18.500h9",
  },
  component: Peers,
});

/** The result of `admin_peers`. */
interface PeerJson {
  readonly id: string;
  readonly name: string;
  readonly caps: readonly string[];
  readonly networks: readonly {
    readonly remoteAddress: string;
    readonly inbound: boolean;
    readonly trusted: boolean;
    readonly static: boolean;
    readonly nodeType: string;
  }[];
  readonly protocols: Readonly<Record<string, { readonly head?: string; readonly blockscore?: number }>>;
}

const TYPES: Readonly<Record<string, string>> = {
  cn: "consensus node",
  pn: "proxy node",
  en: "endpoint node",
  bn: "bootnode",
};

function Peers() {
  const live = useLive();
  const { peers: first } = useOverview();
  const count = live.samples.at(-1)?.values[13] ?? first;
  const asked = useCall(() => call<readonly PeerJson[]>("admin_peers"), `peers ${count}`);
  return (
    <>
      <Rounds />
      {asked.error ? (
        <Problem error={asked.error} />
      ) : asked.data === undefined ? (
        <Waiting />
      ) : (
        <Panel title={`Peers (${asked.data.length})`}>
          <Table
            caption="Peers"
            columns={peerColumns}
            rows={asked.data}
            keyOf={({ id }) => id}
            empty="No peers are connected; a chain of one node needs none."
          />
          {asked.data.length > 0 && <RawJson value={asked.data} />}
        </Panel>
      )}
      <Self />
    </>
  );
}

const peerColumns: readonly TableColumn<PeerJson>[] = [
  {
    name: "Kind",
    show: ({ networks }) => {
      const kind = networks[0]?.nodeType ?? "unknown";
      return <Tag tone={kind === "cn" ? "info" : "plain"}>{TYPES[kind] ?? kind}</Tag>;
    },
  },
  { name: "Software", show: ({ name }) => <Foreign text={name} maxLength={80} /> },
  { name: "Address", show: ({ networks }) => <Foreign text={networks[0]?.remoteAddress ?? "–"} /> },
  {
    name: "Connection",
    show: ({ networks: [network] }) => (
      <span class="what">
        {network?.inbound ? "inbound" : "outbound"}
        {network?.static && <Tag>static</Tag>}
        {network?.trusted && <Tag>trusted</Tag>}
      </span>
    ),
    isExtra: true,
  },
  {
    name: "Head",
    show: ({ protocols }) => {
      const { head } = protocols["istanbul"] ?? {};
      return head === undefined ? "–" : <Hash value={head} />;
    },
    isExtra: true,
  },
  { name: "Node id", show: ({ id }) => <Hash value={id} />, isExtra: true },
];

/** Proposers of the latest blocks, and the round in which each was decided. */
function Rounds() {
  const { blocks, height } = useLive();
  const validators = useCall(
    () => call<readonly string[]>("istanbul_getValidators", ["latest"]),
    "validators",
  );
  const council = useCall(() => call<readonly string[]>("kaia_getCouncil", ["latest"]), "council");
  const seats = proposersOf(blocks, validators.data ?? []);
  const late = blocks.filter(({ round }) => round > 0);
  const times = blocks.slice(0, -1).map(({ time }, i) => time - (blocks[i + 1]?.time ?? time));
  return (
    <div class="columns">
      <Panel title="Rounds of the latest blocks">
        <Facts
          entries={[
            [
              "Blocks examined",
              `${blocks.length} blocks${height === undefined ? "" : `, up to #${grouped(height)}`}`,
            ],
            [
              "Agreed in the first round",
              blocks.length === 0 ? "–" : `${blocks.length - late.length} of ${blocks.length}`,
            ],
            ["Most rounds needed", String(Math.max(0, ...blocks.map(({ round }) => round)) + 1)],
            [
              "Seconds between blocks",
              times.length > 1 && (
                <Spark
                  key="times"
                  values={[...times].reverse()}
                  label={`Seconds between blocks (latest: ${times[0]})`}
                />
              ),
            ],
          ]}
        />
        <Table
          caption="Blocks that took more than one round"
          columns={[
            { name: "Block", show: ({ number }) => <BlockNumber value={number} /> },
            { name: "Rounds", show: ({ round }) => <Tag tone="warn">{round + 1} rounds</Tag> },
            {
              name: "Proposer",
              show: ({ proposer }) => (proposer === null ? "–" : <Address value={proposer} />),
            },
          ]}
          rows={late.slice(0, 12)}
          keyOf={({ hash }) => hash}
          empty="Every block was agreed on in its first round: no proposer failed."
        />
      </Panel>
      <Panel
        title={`Validators (${validators.data?.length ?? "…"})`}
        actions={council.data && <span class="muted">council of {council.data.length}</span>}
      >
        {validators.error ? (
          <Problem error={validators.error} />
        ) : (
          <Table
            caption="Validators"
            columns={seatColumns}
            rows={seats}
            keyOf={({ address }) => address}
            empty="No validators."
          />
        )}
      </Panel>
    </div>
  );
}

const seatColumns: readonly TableColumn<ProposerRecord>[] = [
  {
    name: "Validator",
    show: ({ address, isQualified }) => (
      <>
        <Address value={address} /> {!isQualified && <Tag>no longer a validator</Tag>}
      </>
    ),
  },
  { name: "Proposed", show: ({ proposed }) => grouped(proposed), isNumber: true },
  {
    name: "After a failed proposer",
    show: ({ late }) => (late === 0 ? "–" : <Tag tone="warn">{late}</Tag>),
    isNumber: true,
  },
  {
    name: "Last block",
    show: ({ last }) => (last === undefined ? "–" : <BlockNumber value={last} />),
    isNumber: true,
    isExtra: true,
  },
];

/** How other nodes reach this one. */
function Self() {
  const { data, error } = useCall(() => call<Readonly<Record<string, unknown>>>("admin_nodeInfo"), "self");
  if (error || data === undefined) return null;
  const url = String(data["kni"] ?? data["enode"] ?? "");
  if (data["id"] === "")
    return (
      <Panel title="This node">
        <Nothing>This node accepts no peers.</Nothing>
      </Panel>
    );
  return (
    <Panel title="This node">
      <Facts
        entries={[
          [
            "Address for peers",
            url !== "" && (
              <span class="hex whole">
                {url} <Copy text={url} what="address of this node" />
              </span>
            ),
          ],
          ["Name", typeof data["name"] === "string" && <Foreign text={data["name"]} />],
          ["Node id", typeof data["id"] === "string" && <Hash value={data["id"]} />],
        ]}
      />
      <RawJson value={data} />
    </Panel>
  );
}
