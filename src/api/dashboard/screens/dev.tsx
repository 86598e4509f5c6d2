import { Balance, Impersonation } from "../components/dev/accounts.tsx";
import { MiningPanel } from "../components/dev/mining.tsx";
import { Snapshots } from "../components/dev/snapshots.tsx";
import { Time } from "../components/dev/time.tsx";
import { screen } from "../kernel/screen.ts";

/** Controls of a development chain: blocks, time, snapshots, accounts. */
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
      <MiningPanel />
      <Time />
      <Snapshots />
      <Balance />
      <Impersonation />
    </div>
  );
}
