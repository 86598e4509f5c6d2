import { useEffect } from "preact/hooks";
import type { SignatureReport, SignerReport, TransactionReport } from "../../rpc/spec/dashboard/wire.ts";
import { KeyTree } from "../components/keys/key-tree.tsx";
import { Facts, Nothing, Panel, Problem, RawJson, Waiting } from "../components/panel.tsx";
import { Table } from "../components/table.tsx";
import {
  Address,
  Ago,
  Amount,
  BlockNumber,
  Bytes,
  Foreign,
  GasPrice,
  Hash,
  Tag,
  YesNo,
} from "../components/text.tsx";
import { TransactionTrace } from "../components/transactions/trace.tsx";
import { dateTime, grouped, toBigint, words } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import type { Params } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** One transaction of any type: what it did, who signed it and who paid. */
export const transaction = screen({
  path: "/transactions/:hash",
  title: "Transaction",
  component: Transaction,
});

function Transaction({ params }: { readonly params: Params }) {
  const hash = params["hash"] ?? "";
  const { data, error, reload } = useCall(() => node.transaction(hash), `transaction ${hash}`);
  const { height } = useLive();
  const isInBlock = data != null && data.row !== null;
  // each new block may include it
  useEffect(() => {
    if (!isInBlock) reload();
  }, [height, isInBlock, reload]);
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Waiting />;
  if (data === null) return <Nothing>The node knows no transaction with this hash.</Nothing>;
  return (
    <>
      <div class="columns">
        <Summary report={data} />
        <Money report={data} />
      </div>
      <Signer title="Signed by the sender" report={data.sender} />
      {data.feePayer && <Signer title="Signed by the fee payer" report={data.feePayer} />}
      {data.newKey !== null && (
        <Panel title="New account key">
          <KeyTree value={data.newKey} />
        </Panel>
      )}
      <Content report={data} />
      {data.row && <TransactionTrace hash={data.hash} />}
      <Events report={data} />
      <Panel title="Raw transaction">
        <Bytes value={data.raw} what="raw transaction" />
        <RawJson value={data.transaction} label="Transaction as JSON" />
        {data.receipt && <RawJson value={data.receipt} label="Receipt as JSON" />}
        <RawJson value={data} label="Report as JSON" />
      </Panel>
    </>
  );
}

function Summary({ report }: { readonly report: TransactionReport }) {
  const { row, hash, typeName, typeCode, transaction, time, contract } = report;
  const failure = report.receipt?.["txError"];
  return (
    <Panel title="Transaction">
      <Facts
        entries={[
          ["Hash", <Hash key="hash" value={hash} isWhole />],
          [
            "Type",
            <span key="type">
              {words(typeName)} <Tag>{`0x${typeCode.toString(16).padStart(2, "0")}`}</Tag>
            </span>,
          ],
          [
            "Result",
            row === null ? (
              <Tag key="result" tone="warn">
                in the pool
              </Tag>
            ) : (
              <span key="result">
                <YesNo ok={row.ok} yes="ok" no="failed" />
                {typeof failure === "string" && <span class="muted"> status {failure}</span>}
              </span>
            ),
          ],
          ["Block", row && <BlockNumber value={row.block} />],
          [
            "Time",
            time !== null && (
              <span>
                {dateTime(time)} UTC, <Ago time={time} />
              </span>
            ),
          ],
          ["From", <Address key="from" value={report.sender.address} isWhole />],
          [
            row?.isCreation ? "Created" : "To",
            row?.to && (
              <span>
                <Address value={row.to} isWhole /> {contract && <Foreign text={contract} maxLength={100} />}
              </span>
            ),
          ],
          ["Nonce", grouped(toBigint(transaction["nonce"]))],
          ["Sender's hash", <Hash key="sender" value={String(transaction["senderTxHash"] ?? hash)} />],
        ]}
      />
    </Panel>
  );
}

function Money({ report }: { readonly report: TransactionReport }) {
  const { row, transaction, fee, senderFee, feePayerFee, feePayer, receipt } = report;
  const limit = toBigint(transaction["gas"]);
  const price = receipt?.["effectiveGasPrice"] ?? transaction["gasPrice"];
  return (
    <Panel title="Value and fee">
      <Facts
        entries={[
          ["Value", <Amount key="value" kei={toBigint(transaction["value"])} />],
          ["Gas", row ? `${grouped(row.gasUsed)} of ${grouped(limit)}` : `limit ${grouped(limit)}`],
          ["Gas price", <GasPrice key="price" kei={toBigint(price)} />],
          [
            "Max fee per gas",
            transaction["maxFeePerGas"] !== undefined && (
              <GasPrice kei={toBigint(transaction["maxFeePerGas"])} />
            ),
          ],
          [
            "Max priority fee per gas",
            transaction["maxPriorityFeePerGas"] !== undefined && (
              <GasPrice kei={toBigint(transaction["maxPriorityFeePerGas"])} />
            ),
          ],
          ["Fee", fee !== null && <Amount kei={BigInt(fee)} />],
          ["Fee payer", feePayer && <Address value={feePayer.address} isWhole />],
          [
            "Fee payer's share",
            transaction["feeRatio"] !== undefined && `${toBigint(transaction["feeRatio"])} %`,
          ],
          ["Paid by the sender", feePayer && senderFee !== null && <Amount kei={BigInt(senderFee)} />],
          ["Paid by the fee payer", feePayer && feePayerFee !== null && <Amount kei={BigInt(feePayerFee)} />],
        ]}
      />
    </Panel>
  );
}

function Signer({ title, report }: { readonly title: string; readonly report: SignerReport }) {
  const { role, keyType, threshold, weight, valid, note, signatures } = report;
  return (
    <Panel
      title={title}
      actions={valid === null ? <Tag>unknown</Tag> : <YesNo ok={valid} yes="valid" no="not valid" />}
    >
      <Facts
        entries={[
          ["Account", <Address key="account" value={report.address} />],
          ["Role", role],
          ["Key", words(keyType)],
          ["Weight", threshold !== null && `${weight} of ${threshold} required`],
          ["Note", note],
        ]}
      />
      <Table
        caption={`${title}: signatures`}
        columns={signatureColumns}
        rows={signatures}
        keyOf={({ r, s, v }) => `${r}${s}${v}`}
        empty="No signatures."
      />
      {signatures.length > 0 && <RawJson value={signatures} label="Signatures as JSON" />}
    </Panel>
  );
}

const signatureColumns = [
  {
    name: "Recovered address",
    show: ({ address, problem }: SignatureReport) =>
      address === null ? <Tag tone="bad">✕ {problem ?? "none"}</Tag> : <Address value={address} />,
  },
  {
    name: "Public key",
    show: ({ publicKey }: SignatureReport) => (publicKey === null ? "–" : <Hash value={publicKey} />),
    isExtra: true,
  },
  {
    name: "Weight",
    show: ({ weight }: SignatureReport) => (weight === null ? "–" : grouped(weight)),
    isNumber: true,
  },
  {
    name: "Part of the key",
    show: ({ belongs }: SignatureReport) => <YesNo ok={belongs} yes="yes" no="no" />,
  },
];

/** The payload of a transaction: a call, a memo, anchored data, lists of EIPs. */
function Content({ report }: { readonly report: TransactionReport }) {
  const { transaction, call } = report;
  const input = String(transaction["input"] ?? "0x");
  const lists = ["accessList", "authorizationList", "blobVersionedHashes", "inputJSON"].filter(
    (name) => transaction[name] !== undefined && transaction[name] !== null,
  );
  if (input === "0x" && lists.length === 0) return null;
  const text = /Memo$|MemoWithRatio$/.test(report.typeName) ? textOf(input) : undefined;
  return (
    <Panel title="Payload">
      <Facts
        entries={[
          ["Call", call !== null && <Foreign text={call} />],
          ["Memo", text !== undefined && <Foreign text={text} />],
          ["Code format", transaction["codeFormat"] !== undefined && String(transaction["codeFormat"])],
          [
            call === null ? "Input (not in any artifact)" : "Input",
            <Bytes key="input" value={input} what="input" />,
          ],
        ]}
      />
      {lists.map((name) => (
        <RawJson key={name} value={transaction[name]} label={name} />
      ))}
    </Panel>
  );
}

/** Bytes decoded as UTF-8; undefined if they are not valid UTF-8. */
function textOf(hex: string): string | undefined {
  const bytes = Uint8Array.from(hex.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface WireLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

function Events({ report }: { readonly report: TransactionReport }) {
  const logs = (report.receipt?.["logs"] ?? []) as readonly WireLog[];
  if (logs.length === 0) return null;
  return (
    <Panel
      title={`Events (${grouped(report.eventCount)}${report.eventCount > logs.length ? `, the first ${logs.length}` : ""})`}
    >
      {logs.map((log, i) => (
        <article key={log.logIndex} class="event">
          <Facts
            entries={[
              ["Contract", <Address key="contract" value={log.address} />],
              [
                "Event",
                report.events[i] ? (
                  <Foreign key="event" text={report.events[i]} />
                ) : (
                  <span key="event" class="muted">
                    not in any artifact
                  </span>
                ),
              ],
              [
                "Topics",
                <span key="topics" class="stack">
                  {log.topics.map((topic) => (
                    <Hash key={topic} value={topic} />
                  ))}
                </span>,
              ],
              ["Data", <Bytes key="data" value={log.data} what="data" />],
            ]}
          />
        </article>
      ))}
    </Panel>
  );
}
