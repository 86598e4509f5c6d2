import { useState } from "preact/hooks";
import { AddressField, AmountField } from "../components/fields.tsx";
import { Choice, ConfirmPanel, Field, Form } from "../components/form.tsx";
import { Outcome } from "../components/outcome.tsx";
import { Facts, Panel } from "../components/panel.tsx";
import { Table } from "../components/table.tsx";
import { Address, Ago, Tag } from "../components/text.tsx";
import { call } from "../kernel/api.ts";
import { dateTime, duration, grouped, kaia } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { isAddress, toKei } from "../kernel/read.ts";
import { screen } from "../kernel/screen.ts";
import { keepSnapshots, type Snapshot, snapshots } from "../kernel/snapshots.ts";
import { useAction } from "../kernel/use-action.ts";
import { useCall } from "../kernel/use-call.ts";

const MOST_BLOCKS = 10_000;
const DAY = 86_400;

/** What only a development chain lets people do: blocks, time, snapshots, accounts. */
export const dev = screen({
  path: "/dev",
  title: "Dev controls",
  menu: {
    label: "Dev controls",
    icon: "M4 7h8M16 7h4M4 17h4M12 17h8M14 5v4M10 15v4",
  },
  needs: ["evm_mine", "evm_snapshot", "anvil_setBalance"],
  component: Dev,
});

function Dev() {
  return (
    <div class="masonry">
      <Mining />
      <Time />
      <Snapshots />
      <Balance />
      <Impersonation />
    </div>
  );
}

function Mining() {
  const { height } = useLive();
  const [blocks, setBlocks] = useState("1");
  const mode = useCall(readMode, "mode");
  const action = useAction();
  const count = Number(blocks);
  const isCount = /^\d{1,5}$/.test(blocks) && count >= 1 && count <= MOST_BLOCKS;
  const mine = (): void =>
    action.run(async () => {
      await call("anvil_mine", [`0x${count.toString(16)}`]);
      return `${grouped(count)} ${count === 1 ? "block was" : "blocks were"} mined.`;
    });
  return (
    <Panel title="Mining" actions={height !== undefined && <span class="muted">#{grouped(height)}</span>}>
      <Form label="Mine blocks" action="Mine" isReady={isCount && !action.isRunning} onSubmit={mine}>
        <Field
          label="Blocks"
          value={blocks}
          onInput={setBlocks}
          problem={isCount ? undefined : `A number from 1 to ${grouped(MOST_BLOCKS)}.`}
        />
      </Form>
      <Outcome action={action} />
      <Mode key={mode.data} now={mode.data} onChange={mode.reload} />
    </Panel>
  );
}

/** `auto`, `manual`, or the seconds between blocks. */
async function readMode(): Promise<string> {
  const seconds = await call<number | null>("anvil_getIntervalMining");
  if (seconds !== null && seconds > 0) return String(seconds);
  return (await call<boolean>("anvil_getAutomine")) ? "auto" : "manual";
}

function Mode({ now, onChange }: { readonly now: string | undefined; readonly onChange: () => void }) {
  const isInterval = now !== undefined && /^\d/.test(now);
  const [mode, setMode] = useState(isInterval ? "interval" : (now ?? "auto"));
  const [seconds, setSeconds] = useState(isInterval ? now : "5");
  const action = useAction();
  const isSeconds = /^\d{1,3}$/.test(seconds) && Number(seconds) >= 1;
  const set = (): void =>
    action.run(async () => {
      await call("evm_setIntervalMining", [mode === "interval" ? Number(seconds) : 0]);
      await call("evm_setAutomine", [mode === "auto"]);
      onChange();
      return undefined;
    });
  return (
    <Form
      label="Mining mode"
      action="Set mode"
      isReady={(mode !== "interval" || isSeconds) && !action.isRunning}
      onSubmit={set}
    >
      <Choice
        label="Mode"
        value={mode}
        onInput={setMode}
        options={[
          ["auto", "a block for each transaction"],
          ["interval", "a block every so many seconds"],
          ["manual", "only when asked"],
        ]}
      />
      {mode === "interval" && (
        <Field
          label="Seconds between blocks"
          value={seconds}
          onInput={setSeconds}
          problem={isSeconds ? undefined : "A number from 1 to 999."}
        />
      )}
      <Outcome action={action} />
    </Form>
  );
}

function Time() {
  const { blocks } = useLive();
  const time = blocks[0]?.time;
  const [ahead, setAhead] = useState(3_600);
  const action = useAction();
  const go = (): void =>
    action.run(async () => {
      await call("evm_increaseTime", [ahead]);
      await call("evm_mine");
      return `The chain's clock was moved ${duration(ahead)} ahead, and a block was mined at that time.`;
    });
  return (
    <Panel title="Time">
      <Facts
        entries={[
          [
            "Newest block",
            time !== undefined && (
              <span>
                {dateTime(time)} UTC, <Ago time={time} />
              </span>
            ),
          ],
        ]}
      />
      <Form
        label="Move time"
        action={`Advance by ${duration(ahead)}`}
        isReady={!action.isRunning}
        onSubmit={go}
      >
        <div class="field">
          <label for="ahead">Time to skip: {duration(ahead)}</label>
          <input
            id="ahead"
            type="range"
            min={0}
            max={STEPS.length - 1}
            value={STEPS.indexOf(ahead)}
            aria-valuetext={duration(ahead)}
            onInput={({ currentTarget }) => setAhead(STEPS[Number(currentTarget.value)] as number)}
          />
        </div>
      </Form>
      <Outcome action={action} />
    </Panel>
  );
}

/** Seconds at which the slider stops. */
const STEPS: readonly number[] = [
  ...[1, 10, 60, 600, 3_600, 6 * 3_600, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY],
];

function Snapshots() {
  const { height, blocks } = useLive();
  const [kept, setKept] = useState(snapshots());
  const [chosen, setChosen] = useState<Snapshot>();
  const action = useAction();
  const keep = (list: readonly Snapshot[]): void => setKept(keepSnapshots(list));
  const take = (): void =>
    action.run(async () => {
      const id = await call<string>("evm_snapshot");
      keep([{ id, height: height ?? 0, time: Math.floor(Date.now() / 1000) }, ...kept]);
      return undefined;
    });
  const back = async ({ id }: Snapshot): Promise<void> => {
    const existed = await call<boolean>("evm_revert", [id]);
    // a snapshot goes with all later ones
    keep(kept.slice(kept.findIndex((one) => one.id === id) + 1));
    if (!existed) throw new Error("The node no longer has this snapshot.");
  };
  return (
    <Panel
      title="Snapshots"
      actions={
        <button type="button" class="primary small" disabled={action.isRunning} onClick={take}>
          Take a snapshot
        </button>
      }
    >
      {chosen && (
        <ConfirmPanel
          what={`Go back to block #${grouped(chosen.height)}`}
          facts={[
            [
              "Lost",
              `Every block, transaction and change since: ${grouped((blocks[0]?.number ?? chosen.height) - chosen.height)} blocks`,
            ],
            ["Dropped as well", "This snapshot and those that were taken later"],
          ]}
          send={() => back(chosen)}
          onClose={() => setChosen(undefined)}
        />
      )}
      <Table
        caption="Snapshots"
        columns={[
          { name: "Block", show: ({ height }) => `#${grouped(height)}` },
          { name: "Taken", show: ({ time }) => <Ago time={time} /> },
          { name: "Id", show: ({ id }) => <Tag>{id}</Tag>, isExtra: true },
          {
            name: "Action",
            show: (one) => (
              <button type="button" class="small" onClick={() => setChosen(one)}>
                Revert to it
              </button>
            ),
          },
        ]}
        rows={kept}
        keyOf={({ id }) => id}
        empty="None taken from this page. A snapshot lets you return to the present blocks, state, pool and time."
      />
      <Outcome action={action} />
    </Panel>
  );
}

function Balance() {
  const [address, setAddress] = useState("");
  const [amount, setAmount] = useState("1000");
  const [isAsked, setAsked] = useState(false);
  const kei = toKei(amount);
  const isReady = isAddress(address) && kei !== undefined;
  const set = async (): Promise<void> => {
    await call("anvil_setBalance", [address.trim(), `0x${(kei ?? 0n).toString(16)}`]);
  };
  return (
    <Panel title="Set a balance">
      <Form label="Set a balance" action="Set" isReady={isReady} onSubmit={() => setAsked(true)}>
        <AddressField label="Account" value={address} onInput={setAddress} />
        <AmountField label="KAIA" value={amount} onInput={setAmount} />
      </Form>
      {isAsked && kei !== undefined && (
        <ConfirmPanel
          what="Set a balance"
          facts={[
            ["Account", <Address key="account" value={address.trim()} isWhole />],
            ["New balance", kaia(kei)],
          ]}
          send={set}
          onClose={() => setAsked(false)}
        />
      )}
    </Panel>
  );
}

function Impersonation() {
  const [address, setAddress] = useState("");
  const [who, setWho] = useState<readonly string[]>([]);
  const action = useAction();
  const start = (): void =>
    action.run(async () => {
      const one = address.trim().toLowerCase();
      await call("anvil_impersonateAccount", [one]);
      setWho([one, ...who.filter((other) => other !== one)]);
      setAddress("");
      return undefined;
    });
  const stop = (one: string): void =>
    action.run(async () => {
      await call("anvil_stopImpersonatingAccount", [one]);
      setWho(who.filter((other) => other !== one));
      return undefined;
    });
  return (
    <Panel title="Impersonate">
      <Form
        label="Impersonate an account"
        action="Impersonate"
        isReady={isAddress(address) && !action.isRunning}
        onSubmit={start}
      >
        <AddressField
          label="Account"
          value={address}
          onInput={setAddress}
          hint="The node accepts its transactions without its key, from anyone who sends them here."
        />
      </Form>
      <Outcome action={action} />
      <Table
        caption="Impersonated accounts"
        columns={[
          { name: "Account", show: (one) => <Address value={one} /> },
          {
            name: "Action",
            show: (one) => (
              <button type="button" class="small" onClick={() => stop(one)}>
                Stop
              </button>
            ),
          },
        ]}
        rows={who}
        keyOf={(one) => one}
        empty="No account is impersonated from this page."
      />
    </Panel>
  );
}
