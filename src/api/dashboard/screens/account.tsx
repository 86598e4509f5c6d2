import { useState } from "preact/hooks";
import type { HistoryPage, TransactionRow } from "../../rpc/spec/dashboard/wire.ts";
import { Field, Form } from "../components/form.tsx";
import { KeyTree } from "../components/keys/key-tree.tsx";
import { Facts, Panel, Problem, RawJson, Waiting } from "../components/panel.tsx";
import { transactionColumns } from "../components/rows.tsx";
import { Table } from "../components/table.tsx";
import { Amount, Bytes, Copy, Hash, Tag } from "../components/text.tsx";
import { Transfer } from "../components/transactions/transfer.tsx";
import { call } from "../kernel/api.ts";
import { grouped, toBigint } from "../kernel/format.ts";
import { node } from "../kernel/node.ts";
import { useOverview } from "../kernel/overview.ts";
import type { Params } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Transactions per page of the history. */
const PAGE = 25;

/** One account: balance, key, history and storage. */
export const account = screen({
  path: "/accounts/:address",
  title: "Account",
  component: Account,
});

/** The result of `kaia_getAccount`; null for an account that was never touched. */
interface AccountJson {
  readonly accType: number;
  readonly account: {
    readonly nonce: number;
    readonly balance: string;
    readonly key: unknown;
    readonly storageRoot?: string;
    readonly codeHash?: string;
    readonly codeFormat?: number;
    readonly vmVersion?: number;
  };
}

function Account({ params }: { readonly params: Params }) {
  const address = params["address"] ?? "";
  const { methods } = useOverview();
  const { data, error } = useCall(() => readAccount(address), `account ${address}`);
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Waiting />;
  const { found, code } = data;
  const isContract = found?.accType === 2;
  return (
    <>
      <p class="hex whole subject">
        {address} <Copy text={address} what="address" />
      </p>
      <p class="steps">
        {code !== "0x" && <a href={`#/accounts/${address}/contract`}>Read and write the contract →</a>}
        {!isContract && methods.includes("dashboard_examineKey") && (
          <a href={`#/accounts/${address}/key`}>Change the account key →</a>
        )}
      </p>
      <div class="columns">
        <Panel title="Account">
          <Facts
            entries={[
              [
                "Type",
                found === null ? "does not exist yet" : isContract ? "smart contract" : "externally owned",
              ],
              ["Balance", <Amount key="balance" kei={toBigint(found?.account.balance ?? 0)} />],
              ["Nonce", grouped(found?.account.nonce ?? 0)],
              ["Code", code !== "0x" && <Bytes value={code} what="code" />],
              [
                "Code hash",
                isContract && found.account.codeHash && <Hash value={hexOf(found.account.codeHash)} />,
              ],
              [
                "Storage root",
                isContract && found.account.storageRoot && <Hash value={hexOf(found.account.storageRoot)} />,
              ],
            ]}
          />
          <RawJson value={found} />
        </Panel>
        <Panel title="Account key">
          {found === null ? (
            <p class="muted">
              Until it is changed, the key of an account is the one its address is derived from.
            </p>
          ) : (
            <KeyTree value={found.account.key} />
          )}
        </Panel>
      </div>
      {!isContract && methods.includes("dashboard_draft") && <Transfer key={address} from={address} />}
      <History key={address} address={address} />
      {code !== "0x" && <Storage address={address} />}
    </>
  );
}

async function readAccount(address: string) {
  const [found, code] = await Promise.all([
    call<AccountJson | null>("kaia_getAccount", [address, "latest"]),
    call<string>("kaia_getCode", [address, "latest"]),
  ]);
  const key = found && (await call<unknown>("kaia_getAccountKey", [address, "latest"]));
  return { found: found && { ...found, account: { ...found.account, key } }, code };
}

/** Accounts contain hashes in base64. */
function hexOf(text: string): string {
  if (text.startsWith("0x")) return text;
  const digits = [...atob(text)].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, "0"));
  return `0x${digits.join("")}`;
}

function History({ address }: { readonly address: string }) {
  const [older, setOlder] = useState<readonly TransactionRow[]>([]);
  const [next, setNext] = useState<HistoryPage["next"]>();
  const { data, error } = useCall(() => node.history(address, PAGE), `history ${address}`);
  if (error) return <Problem error={error} />;
  const from = next === undefined ? (data?.next ?? null) : next;
  const more = async (before: HistoryPage["next"]): Promise<void> => {
    const page = await node.history(address, PAGE, before);
    setOlder([...older, ...page.rows]);
    setNext(page.next);
  };
  return (
    <Panel title="Sent transactions">
      <Table
        caption="Sent transactions"
        columns={transactionColumns.filter(({ name }) => name !== "From")}
        rows={[...(data?.rows ?? []), ...older]}
        keyOf={({ hash }) => hash}
        empty="None yet."
      />
      {from !== null && (
        <button type="button" onClick={() => void more(from)}>
          Older
        </button>
      )}
    </Panel>
  );
}

/** Reads a slot of a contract. */
function Storage({ address }: { readonly address: string }) {
  const [slot, setSlot] = useState("0");
  const [read, setRead] = useState<{ slot: string; value: string }[]>([]);
  const [error, setError] = useState<Error>();
  const isSlot = /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(slot.trim());
  const ask = async (): Promise<void> => {
    const position = `0x${BigInt(slot.trim()).toString(16)}`;
    try {
      const value = await call<string>("kaia_getStorageAt", [address, position, "latest"]);
      setRead([{ slot: position, value }, ...read.filter((one) => one.slot !== position)].slice(0, 20));
      setError(undefined);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Panel title="Storage">
      <Form label="Storage" action="Read" isReady={isSlot} onSubmit={() => void ask()}>
        <Field
          label="Slot"
          value={slot}
          onInput={setSlot}
          hint="A number, or 32 bytes as hex, such as the hash of a mapping's key."
          problem={isSlot ? undefined : "A slot is a number, or up to 32 bytes as hex."}
        />
      </Form>
      {error && <Problem error={error} />}
      <Table
        caption="Slots read"
        columns={[
          { name: "Slot", show: ({ slot }) => <Hash value={slot} /> },
          { name: "As hex", show: ({ value }) => <Hash value={value} isWhole /> },
          { name: "As a number", show: ({ value }) => <Tag>{String(toBigint(value))}</Tag>, isExtra: true },
        ]}
        rows={read}
        keyOf={({ slot }) => slot}
        empty="No slots read yet."
      />
    </Panel>
  );
}
