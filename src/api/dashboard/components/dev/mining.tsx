import { useState } from "preact/hooks";
import { call } from "../../kernel/api.ts";
import { grouped } from "../../kernel/format.ts";
import { useLive } from "../../kernel/live.ts";
import { useAction } from "../../kernel/use-action.ts";
import { useCall } from "../../kernel/use-call.ts";
import { Choice, Field, Form } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Panel } from "../panel.tsx";

const MAX_BLOCKS = 10_000;

/** Mines blocks, and sets when blocks are mined. */
export function MiningPanel() {
  const { height } = useLive();
  const [blocks, setBlocks] = useState("1");
  const mode = useCall(readMode, "mode");
  const action = useAction();
  const count = Number(blocks);
  const isCount = /^\d{1,5}$/.test(blocks) && count >= 1 && count <= MAX_BLOCKS;
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
          problem={isCount ? undefined : `A number from 1 to ${grouped(MAX_BLOCKS)}.`}
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
          ["interval", "a block every N seconds"],
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
