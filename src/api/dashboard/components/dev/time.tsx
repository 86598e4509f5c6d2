import { useState } from "preact/hooks";
import { call } from "../../kernel/api.ts";
import { dateTime, duration } from "../../kernel/format.ts";
import { useLive } from "../../kernel/live.ts";
import { useAction } from "../../kernel/use-action.ts";
import { Form } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Facts, Panel } from "../panel.tsx";
import { Ago } from "../text.tsx";

const DAY = 86_400;

/** Moves the chain's clock forward. */
export function Time() {
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

/** Stops of the slider, in seconds. */
const STEPS: readonly number[] = [
  ...[1, 10, 60, 600, 3_600, 6 * 3_600, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY],
];
