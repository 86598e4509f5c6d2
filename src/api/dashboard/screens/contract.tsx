import { useState } from "preact/hooks";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import type {
  CallReport,
  ContractReport,
  EventReport,
  FunctionReport,
} from "../../rpc/spec/dashboard/contract-wire.ts";
import { AmountField } from "../components/fields.tsx";
import { Field, Form } from "../components/form.tsx";
import { Outcome } from "../components/outcome.tsx";
import { Details, Nothing, Panel, Problem, RawJson, Waiting } from "../components/panel.tsx";
import { Table, type TableColumn } from "../components/table.tsx";
import { Address, BlockNumber, Bytes, Foreign, Tag, TransactionHash } from "../components/text.tsx";
import { OwnAccount, SendPanel } from "../components/transactions/send.tsx";
import { call } from "../kernel/api.ts";
import { kaia } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { node } from "../kernel/node.ts";
import { useOverview } from "../kernel/overview.ts";
import { isAddress, readValue, toKei } from "../kernel/read.ts";
import type { Params } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useAction } from "../kernel/use-action.ts";
import { useCall } from "../kernel/use-call.ts";

/** Maximum characters of an ABI; the node accepts requests up to 256 KiB. */
const MAX_ABI = 200_000;

/** A contract by its ABI: read functions, write functions, events. */
export const contract = screen({
  path: "/accounts/:address/contract",
  title: "Contract",
  component: ContractScreen,
});

function ContractScreen({ params }: { readonly params: Params }) {
  const address = params["address"] ?? "";
  const [abi, setAbi] = useState<unknown>();
  const { height } = useLive();
  const [kept, setKept] = useState<ContractReport>();
  const { error } = useCall(
    async () => setKept(await node.contract(address, abi)),
    `contract ${address} ${height} ${abi === undefined ? "" : JSON.stringify(abi).length}`,
  );
  if (error) return <Problem error={error} />;
  if (kept === undefined) return <Waiting />;
  const reading = kept.functions.filter(({ isReading }) => isReading);
  const writing = kept.functions.filter(({ isReading }) => !isReading);
  return (
    <>
      <p class="subject">
        <Address value={address} isWhole />{" "}
        {kept.name !== null && (
          <Tag tone="info">
            <Foreign text={kept.name} maxLength={100} />
          </Tag>
        )}
      </p>
      <GivenAbi report={kept} onAbi={setAbi} />
      <div class="columns">
        <Functions title="Read" list={reading} address={address} abi={abi} />
        <Functions title="Write" list={writing} address={address} abi={abi} />
      </div>
      <Panel title={`Events since block ${kept.since}`}>
        <Table
          caption="Events"
          columns={eventColumns}
          rows={kept.events ?? []}
          keyOf={({ transaction, topics, data }) => `${transaction}${topics.join()}${data}`}
          empty={kept.events === null ? "Too many events to search." : "No events in these blocks."}
        />
        {kept.events !== null && kept.events.length > 0 && <RawJson value={kept.events} />}
      </Panel>
    </>
  );
}

const eventColumns: readonly TableColumn<EventReport>[] = [
  { name: "Block", show: ({ block }) => <BlockNumber value={block} /> },
  {
    name: "Event",
    show: ({ text, topics, data }) =>
      text === null ? (
        <span class="muted">
          not in any known ABI: <Foreign text={`${topics.join(" ")} ${data}`} maxLength={160} />
        </span>
      ) : (
        <Foreign text={text} maxLength={1_000} />
      ),
  },
  { name: "Transaction", show: ({ transaction }) => <TransactionHash value={transaction} />, isExtra: true },
];

/** Where the names come from, or a field for an ABI if none is known. */
function GivenAbi({
  report: { source },
  onAbi,
}: {
  readonly report: ContractReport;
  readonly onAbi: (abi: unknown) => void;
}) {
  const [text, setText] = useState("");
  const action = useAction();
  if (source === "artifact")
    return <p class="muted">Identified by a compiler artifact with the same code.</p>;
  const take = (): void =>
    action.run(async () => {
      const parsed = JSON.parse(text) as unknown;
      const abi = Array.isArray(parsed) ? parsed : (parsed as { abi?: unknown } | null)?.abi;
      if (!Array.isArray(abi)) throw new Error("An ABI is a list, or an artifact with a member “abi”.");
      onAbi(abi);
      return `${abi.length} entries were loaded.`;
    });
  return (
    <Panel title="ABI">
      {source === "none" && (
        <Nothing>
          No artifact has this code. <code>--artifacts FOLDER</code> names the contracts of a project; or
          paste an ABI.
        </Nothing>
      )}
      <Form
        label="ABI"
        action="Use this ABI"
        isReady={text.trim() !== "" && text.length <= MAX_ABI && !action.isRunning}
        onSubmit={take}
      >
        <Field label="ABI, or an artifact, as JSON" value={text} onInput={setText} isLong />
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}

function Functions({
  title,
  list,
  address,
  abi,
}: {
  readonly title: string;
  readonly list: readonly FunctionReport[];
  readonly address: string;
  readonly abi: unknown;
}) {
  return (
    <Panel title={`${title} (${list.length})`}>
      {list.length === 0 ? (
        <Nothing>No functions are known.</Nothing>
      ) : (
        list.map((one) => <ContractFunction key={one.selector} one={one} address={address} abi={abi} />)
      )}
    </Panel>
  );
}

function ContractFunction({
  one,
  address,
  abi,
}: {
  readonly one: FunctionReport;
  readonly address: string;
  readonly abi: unknown;
}) {
  const { name, selector, inputs, outputs, isReading, isPayable } = one;
  const { methods } = useOverview();
  const [texts, setTexts] = useState<readonly string[]>(inputs.map(() => ""));
  const [from, setFrom] = useState("");
  const [amount, setAmount] = useState("0");
  const [result, setResult] = useState<CallReport>();
  const [input, setInput] = useState<string>();
  const action = useAction();
  const values = () => inputs.map(({ type, name }, i) => readValue(texts[i] as string, type, name));
  const read = (): void =>
    action.run(async () => {
      setResult(await node.read(address, selector, values(), abi));
      return undefined;
    });
  const write = (): void =>
    action.run(async () => {
      setInput(await node.encodeCall(address, selector, values(), abi));
      return undefined;
    });
  const kei = toKei(amount);
  const mayWrite = methods.includes("kaia_sendTransaction");
  const isReady = !action.isRunning && (isReading || (mayWrite && isAddress(from) && kei !== undefined));
  const signature = (
    <>
      <Foreign text={name} maxLength={100} />
      <span class="muted">({typesOf(inputs)})</span>
      {isPayable && <Tag tone="warn">payable</Tag>}
      {outputs.length > 0 && <span class="muted"> → {typesOf(outputs)}</span>}
    </>
  );
  return (
    <Details summary={signature} kind="function">
      {() => (
        <>
          <Form
            label={name}
            action={isReading ? "Read" : "Write…"}
            isReady={isReady}
            onSubmit={isReading ? read : write}
          >
            {inputs.map(({ name, type }, i) => (
              <Field
                key={i}
                label={`${name === "" ? `Value ${i + 1}` : name} (${type})`}
                value={texts[i] as string}
                onInput={(text) => setTexts(texts.map((old, j) => (i === j ? text : old)))}
                hint={/[[(]/.test(type) ? "As JSON: a list, with numbers as strings." : ""}
              />
            ))}
            {!isReading && mayWrite && <OwnAccount label="From" value={from} onInput={setFrom} />}
            {!isReading && !mayWrite && <p class="muted">Writing needs the link with a token.</p>}
            {isPayable && <AmountField label="KAIA to send" value={amount} onInput={setAmount} />}
          </Form>
          <Outcome action={action} />
          {result && <Result result={result} />}
          {input !== undefined && (
            <Write
              tx={{ from, to: address, input, value: `0x${(kei ?? 0n).toString(16)}` }}
              name={`${name}(${texts.join(", ")})`}
              onClose={() => setInput(undefined)}
            />
          )}
        </>
      )}
    </Details>
  );
}

function typesOf(parameters: FunctionReport["inputs"]): string {
  return parameters.map(({ type }) => type).join(", ");
}

function Result({ result: { text, output, error } }: { readonly result: CallReport }) {
  if (error !== null)
    return (
      <p class="problem" role="alert">
        <Foreign text={error} />
      </p>
    );
  return (
    <div class="result" role="status">
      <Foreign text={text ?? "This ABI cannot decode its values."} />
      <Bytes value={output} what="result" />
    </div>
  );
}

/** Sends a transaction that calls a function, with an estimate of the gas. */
function Write({
  tx,
  name,
  onClose,
}: {
  readonly tx: { readonly from: string; readonly to: string; readonly input: string; readonly value: string };
  readonly name: string;
  readonly onClose: () => void;
}) {
  const estimate = useCall(() => call<string>("kaia_estimateGas", [tx]), JSON.stringify(tx));
  if (estimate.error) return <Problem error={estimate.error} />;
  if (estimate.data === undefined) return <Waiting />;
  const gas = (BigInt(estimate.data) * 12n) / 10n;
  return (
    <SendPanel
      what={`Call ${name.slice(0, 200)}`}
      tx={{ ...tx, typeInt: TypeCode.contractExecution, gas: `0x${gas.toString(16)}` }}
      facts={[
        ["From", <Address key="from" value={tx.from} isWhole />],
        ["Contract", <Address key="to" value={tx.to} isWhole />],
        ["Call", <Foreign key="call" text={name} maxLength={2_000} />],
        ["Value", kaia(BigInt(tx.value))],
        ["Gas limit", String(gas)],
        ["Input", <Bytes key="input" value={tx.input} what="input" />],
      ]}
      onClose={onClose}
    />
  );
}
