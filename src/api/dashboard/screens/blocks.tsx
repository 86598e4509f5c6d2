import { blockColumns } from "../components/rows.tsx";
import { LiveTable } from "../components/table.tsx";
import { useLive } from "../kernel/live.ts";
import { screen } from "../kernel/screen.ts";

/** The latest blocks, live. */
export const blocks = screen({
  path: "/blocks",
  title: "Blocks",
  menu: { label: "Blocks", icon: "M12 3 20 7.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9" },
  component: Blocks,
});

function Blocks() {
  const { blocks } = useLive();
  return (
    <LiveTable
      title="Newest blocks"
      columns={blockColumns}
      rows={blocks}
      keyOf={({ hash }) => hash}
      empty="No block yet."
    />
  );
}
