import { useState } from "preact/hooks";
import { call } from "../../kernel/api.ts";
import { grouped } from "../../kernel/format.ts";
import { useLive } from "../../kernel/live.ts";
import { keepSnapshots, type Snapshot, snapshots } from "../../kernel/snapshots.ts";
import { useAction } from "../../kernel/use-action.ts";
import { ConfirmPanel } from "../form.tsx";
import { Outcome } from "../outcome.tsx";
import { Panel } from "../panel.tsx";
import { Table } from "../table.tsx";
import { Ago, Tag } from "../text.tsx";

/** Snapshots taken from this page; reverts to them. */
export function Snapshots() {
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
    // reverting also drops all later snapshots
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
          what={`Revert to block #${grouped(chosen.height)}`}
          facts={[
            [
              "Lost",
              `Every block, transaction and change since: ${grouped((blocks[0]?.number ?? chosen.height) - chosen.height)} blocks`,
            ],
            ["Also dropped", "This snapshot and all later ones"],
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
                Revert
              </button>
            ),
          },
        ]}
        rows={kept}
        keyOf={({ id }) => id}
        empty="None taken from this page. A snapshot lets you return to the current blocks, state, pool and time."
      />
      <Outcome action={action} />
    </Panel>
  );
}
