import { useState } from "preact/hooks";
import type { TraceNode } from "../../../rpc/spec/dashboard/wire.ts";
import { grouped, kaia } from "../../kernel/format.ts";
import { node } from "../../kernel/node.ts";
import { useCall } from "../../kernel/use-call.ts";
import { Panel, Problem, RawJson, Waiting } from "../panel.tsx";
import { Address, Foreign, Tag } from "../text.tsx";
import { Tree, type TreeItem } from "../tree.tsx";

/** The calls of a transaction, traced on demand. */
export function TransactionTrace({ hash }: { readonly hash: string }) {
  const [isWanted, setWanted] = useState(false);
  return (
    <Panel title="Calls">
      {isWanted ? (
        <Trace hash={hash} />
      ) : (
        <button type="button" onClick={() => setWanted(true)}>
          Trace this transaction
        </button>
      )}
    </Panel>
  );
}

function Trace({ hash }: { readonly hash: string }) {
  const { data, error } = useCall(() => node.trace(hash), hash);
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Waiting />;
  return (
    <>
      <Tree label="Calls" branches={[branchOf(data.root, "0")]} />
      {data.omitted > 0 && <p class="warning">{grouped(data.omitted)} more calls are not shown.</p>}
      {data.stack.length > 0 && (
        <>
          <h3>Where it failed</h3>
          <pre>
            <Foreign text={data.stack.join("\n")} />
          </pre>
        </>
      )}
      <RawJson value={data} label="Trace as JSON" />
    </>
  );
}

function branchOf(frame: TraceNode, key: string): TreeItem {
  const leaf = (name: string, text: string, i: number): TreeItem => ({
    key: `${key} ${name} ${i}`,
    below: [],
    label: (
      <>
        <Tag>{name}</Tag> <Foreign text={text} />
      </>
    ),
  });
  const below = [
    ...frame.calls.map((call, i) => branchOf(call, `${key}/${i}`)),
    ...frame.events.map((text, i) => leaf("event", text, i)),
    ...frame.storage.map(({ slot, from, to }, i) => leaf("storage", `${slot}: ${from} → ${to}`, i)),
    ...(frame.output === "0x" || frame.error !== null ? [] : [leaf("returns", frame.output, 0)]),
  ];
  return { key, below, label: <Call frame={frame} /> };
}

function Call({ frame }: { readonly frame: TraceNode }) {
  const { type, to, contract, text, isNamed, value, gasUsed, error } = frame;
  return (
    <span class="call">
      <Tag tone={error === null ? "plain" : "bad"}>{type.toLowerCase()}</Tag>
      {to !== "0x" && <Address value={to} name={contract} />}
      <span class={isNamed ? "" : "muted"}>
        <Foreign text={text} maxLength={600} />
      </span>
      {value !== "0" && type !== "DELEGATECALL" && <Tag tone="info">{kaia(BigInt(value))}</Tag>}
      <span class="muted">{grouped(gasUsed)} gas</span>
      {error !== null && (
        <span class="wrong">
          ✕ <Foreign text={error} maxLength={600} />
        </span>
      )}
    </span>
  );
}
