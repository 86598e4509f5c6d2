import { Facts, Panel, Problem, RawJson, Waiting } from "../components/panel.tsx";
import { transactionColumns } from "../components/rows.tsx";
import { Table } from "../components/table.tsx";
import { Address, Ago, Bytes, GasPrice, Hash, Tag } from "../components/text.tsx";
import { call } from "../kernel/api.ts";
import { dateTime, grouped, toBigint } from "../kernel/format.ts";
import { node } from "../kernel/node.ts";
import type { Params } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Transactions per page of a block. */
const PAGE = 100;

/** One block: its consensus data, and its content. */
export const block = screen({
  path: "/blocks/:number",
  title: ({ number = "" }) => (/^\d{1,16}$/.test(number) ? `Block ${number}` : "Block"),
  component: Block,
});

/** The result of `kaia_getBlockWithConsensusInfoByNumber`. */
interface ConsensusBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly size: string;
  readonly baseFeePerGas?: string;
  readonly reward: string;
  readonly stateRoot: string;
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  readonly extraData: string;
  readonly voteData: string;
  readonly governanceData: string;
  readonly randomReveal?: string;
  readonly mixhash?: string;
  readonly proposer: string;
  readonly originProposer: string | null;
  readonly round: number;
  readonly committee: readonly string[] | null;
  readonly committers: readonly string[] | null;
}

function Block({ params }: { readonly params: Params }) {
  const number = Number(params["number"]);
  const asked = useCall(() => readBlock(number), `block ${number}`);
  if (asked.error) return <Problem error={asked.error} />;
  if (asked.data === undefined) return <Waiting />;
  const { found, rows } = asked.data;
  return (
    <>
      <p class="steps">
        {number > 0 && <a href={`#/blocks/${number - 1}`}>← #{grouped(number - 1)}</a>}
        <a href={`#/blocks/${number + 1}`}>#{grouped(number + 1)} →</a>
      </p>
      <div class="columns">
        <Header found={found} />
        <Consensus found={found} number={number} />
      </div>
      <Panel title={`Transactions (${rows.length}${rows.length === PAGE ? ", the first ones" : ""})`}>
        <Table
          caption="Transactions of the block"
          columns={transactionColumns.filter(({ name }) => name !== "Block")}
          rows={rows}
          keyOf={({ hash }) => hash}
          empty="No transactions."
        />
      </Panel>
      <Votes found={found} />
      <Panel title="Raw block">
        <Download number={number} />
        <RawJson value={found} />
      </Panel>
    </>
  );
}

async function readBlock(number: number) {
  if (!Number.isSafeInteger(number) || number < 0) throw new Error("A block number is a whole number.");
  const [found, rows] = await Promise.all([
    call<ConsensusBlock>("kaia_getBlockWithConsensusInfoByNumber", [`0x${number.toString(16)}`]),
    node.blockTransactions(number, PAGE),
  ]);
  return { found, rows };
}

function Header({ found }: { readonly found: ConsensusBlock }) {
  const time = Number(toBigint(found.timestamp));
  return (
    <Panel title="Header">
      <Facts
        entries={[
          ["Hash", <Hash key="hash" value={found.hash} isWhole />],
          ["Parent", <Hash key="parent" value={found.parentHash} />],
          [
            "Time",
            <span key="time">
              {dateTime(time)} UTC, <Ago time={time} />
            </span>,
          ],
          ["Gas used", grouped(toBigint(found.gasUsed))],
          ["Base fee", found.baseFeePerGas && <GasPrice kei={toBigint(found.baseFeePerGas)} />],
          ["Size", `${grouped(toBigint(found.size))} bytes`],
          ["Reward recipient", <Address key="reward" value={found.reward} />],
          ["State root", <Hash key="state" value={found.stateRoot} />],
          ["Transactions root", <Hash key="transactions" value={found.transactionsRoot} />],
          ["Receipts root", <Hash key="receipts" value={found.receiptsRoot} />],
        ]}
      />
    </Panel>
  );
}

function Consensus({ found, number }: { readonly found: ConsensusBlock; readonly number: number }) {
  const { committee, committers, proposer, originProposer, round } = found;
  if (number === 0) return <Panel title="Consensus">The genesis block has no seals.</Panel>;
  const signed = new Set(committers ?? []);
  return (
    <Panel title="Consensus">
      <Facts
        entries={[
          ["Proposer", <Address key="proposer" value={proposer} />],
          [
            "Round",
            <span key="round">
              {round} {round > 0 && <Tag tone="warn">earlier proposers failed</Tag>}
            </span>,
          ],
          [
            "First proposer",
            originProposer !== null && originProposer !== proposer && <Address value={originProposer} />,
          ],
          ["Committed seals", `${signed.size} of ${committee?.length ?? 0}`],
        ]}
      />
      <Table
        caption="Committee"
        columns={[
          { name: "Committee", show: (member) => <Address value={member} /> },
          {
            name: "Seal",
            show: (member) => (signed.has(member) ? <Tag tone="good">✓ committed</Tag> : <Tag>none</Tag>),
          },
        ]}
        rows={committee ?? []}
        keyOf={(member) => member}
        empty="No committee."
      />
    </Panel>
  );
}

function Votes({ found }: { readonly found: ConsensusBlock }) {
  return (
    <Panel title="Votes and extra data">
      <Facts
        entries={[
          ["Vote", <Bytes key="vote" value={found.voteData} what="vote" />],
          ["Governance", <Bytes key="governance" value={found.governanceData} what="governance data" />],
          ["Random reveal", found.randomReveal && <Bytes value={found.randomReveal} what="random reveal" />],
          ["Random number", found.mixhash && <Hash value={found.mixhash} />],
          ["Extra data", <Bytes key="extra" value={found.extraData} what="extra data" />],
        ]}
      />
    </Panel>
  );
}

/** Downloads the block's RLP as a file. */
function Download({ number }: { readonly number: number }) {
  const save = async (): Promise<void> => {
    const hex = await call<string>("debug_getBlockRlp", [`0x${number.toString(16)}`]);
    const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    const url = URL.createObjectURL(new Blob([bytes]));
    const link = document.createElement("a");
    link.href = url;
    link.download = `block-${number}.rlp`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <p>
      <button type="button" onClick={() => void save()}>
        Download RLP
      </button>
    </p>
  );
}
