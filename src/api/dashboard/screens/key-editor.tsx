import { useEffect, useState } from "preact/hooks";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import type { KeyReport, RoleReport } from "../../rpc/spec/dashboard/desk-wire.ts";
import { KeyForm } from "../components/keys/key-form.tsx";
import { KeyTree } from "../components/keys/key-tree.tsx";
import { Nothing, Panel, Problem } from "../components/panel.tsx";
import { Table, type TableColumn } from "../components/table.tsx";
import { Address, Bytes, Tag, YesNo } from "../components/text.tsx";
import { SendPanel } from "../components/transactions/send.tsx";
import { call } from "../kernel/api.ts";
import { words } from "../kernel/format.ts";
import { emptyKey, type KeyDraft, keyToJson } from "../kernel/key-draft.ts";
import { node } from "../kernel/node.ts";
import type { Params } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Debounce interval before a draft is examined. */
const PAUSE_MS = 250;

/** Changes the key of an account, after showing who could sign with the new one. */
export const keyEditor = screen({
  path: "/accounts/:address/key",
  title: "Change the account key",
  needs: ["dashboard_examineKey"],
  component: KeyEditor,
});

function KeyEditor({ params }: { readonly params: Params }) {
  const address = params["address"] ?? "";
  const [draft, setDraft] = useState(emptyKey("public"));
  const [isAsked, setAsked] = useState(false);
  const current = useCall(() => call<unknown>("kaia_getAccountKey", [address, "latest"]), `key ${address}`);
  const json = keyToJson(draft);
  const { report, error } = useReport(address, json);
  const change = (next: KeyDraft): void => {
    setAsked(false);
    setDraft(next);
  };
  return (
    <>
      <p class="subject">
        <Address value={address} isWhole />
      </p>
      <div class="columns">
        <Panel title="New key">
          <KeyForm name="Key" value={draft} onInput={change} />
        </Panel>
        <div>
          <Panel title="What it means">
            {error && <Problem error={error} />}
            {report === undefined ? (
              <Nothing>
                Fill in the key to see who could sign, and whether you would lock yourself out.
              </Nothing>
            ) : (
              <Meaning report={report} />
            )}
            {report?.encoded && !report.problem && !isAsked && (
              <button type="button" class="primary" onClick={() => setAsked(true)}>
                Preview the transaction
              </button>
            )}
            {report?.encoded && isAsked && (
              <SendPanel
                what={report.locksOut ? "Change the key, though this locks you out" : "Change the key"}
                tx={{
                  typeInt: TypeCode.accountUpdate,
                  from: address,
                  key: report.encoded,
                  gas: `0x${BigInt(report.gas).toString(16)}`,
                }}
                facts={previewFacts(address, report)}
                onClose={() => setAsked(false)}
              />
            )}
          </Panel>
          <Panel title="Current key">
            {current.data === undefined || current.data === null ? (
              <Nothing>The key of its address, the default of every account.</Nothing>
            ) : (
              <KeyTree value={current.data} />
            )}
          </Panel>
        </div>
      </div>
    </>
  );
}

/** Examines a draft once it is complete and has not changed for a moment. */
function useReport(address: string, json: unknown) {
  const text = json === undefined ? "" : JSON.stringify(json);
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  const { data, error } = useCall(
    async () => (settled === "" ? undefined : node.examineKey(address, JSON.parse(settled))),
    `${address} ${settled}`,
  );
  return text === settled ? { report: data, error } : { report: undefined, error: undefined };
}

function previewFacts(address: string, { encoded, warnings }: KeyReport) {
  return [
    ["Type", "Account update"],
    ["Account", <Address key="account" value={address} isWhole />],
    ["Encoded key", encoded !== null && <Bytes value={encoded} what="encoded key" />],
    ["Warnings", warnings.length > 0 && warnings.join(" ")],
  ] as const;
}

function Meaning({ report }: { readonly report: KeyReport }) {
  const { problem, warnings, locksOut, roles, encoded } = report;
  if (problem !== null)
    return (
      <p class="problem" role="alert">
        The chain would reject it: {problem}
      </p>
    );
  return (
    <>
      {locksOut && (
        <p class="problem" role="alert">
          This locks you out: the account could no longer sign with the keys of this node.
        </p>
      )}
      {warnings.map((text) => (
        <p key={text} class="warning">
          {text}
        </p>
      ))}
      {warnings.length === 0 && <p class="done">You hold every key that is needed.</p>}
      <Table caption="Who can sign" columns={roleColumns} rows={roles} keyOf={({ role }) => role} empty="" />
      {encoded && <Bytes value={encoded} what="encoded key" />}
    </>
  );
}

const roleColumns: readonly TableColumn<RoleReport>[] = [
  {
    name: "Role",
    show: ({ role, isUnchanged }) => (
      <>
        {role} {isUnchanged && <Tag>unchanged</Tag>}
      </>
    ),
  },
  { name: "Type", show: ({ type }) => words(type) },
  {
    name: "Keys",
    show: ({ keys }) => (
      <span class="stack">
        {keys.map(({ address, weight, isHeld }) => (
          <span key={address}>
            <Address value={address} /> <Tag>w {weight}</Tag> {isHeld && <Tag tone="good">yours</Tag>}
          </span>
        ))}
        {keys.length === 0 && <span class="muted">none</span>}
      </span>
    ),
  },
  {
    name: "Check",
    show: ({ held, threshold, type }) => (
      <YesNo
        ok={type !== "fail" && held >= threshold}
        yes={`you hold ${held} of ${threshold}`}
        no={type === "fail" ? "nobody" : `you hold ${held} of ${threshold}`}
      />
    ),
  },
];
