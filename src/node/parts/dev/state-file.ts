import { isRegularOrNone, notRegular } from "../../../platform/runtime/system/regular-file.ts";
import { keepStateFile, loadStateFile } from "../../dev/state/state-files.ts";
import { cluster } from "../chain/cluster.ts";
import { ledger } from "../chain/ledger.ts";
import { part } from "../part.ts";
import { devControls } from "./dev-controls.ts";

/** Time limit for stopping: writing a large state takes long. */
const WRITE_MS = 120_000;

/** The files that the state of a development chain is loaded from and saved to. */
export const stateFile = part({
  name: "state file",
  needs: { cluster, devControls, ledger },
  stopMs: WRITE_MS,
  async start({ cluster, devControls, ledger }, { options, runtime, logger }) {
    const { file, intervalMs } = options.state ?? {};
    const found = file !== undefined && runtime.files.exists(file) ? file : undefined;
    const { load = found, dump = file } = options.state ?? {};
    if (devControls === undefined) return { offers: undefined };
    // Otherwise the state would be lost when the node stops.
    if (dump !== undefined && !isRegularOrNone(dump)) throw notRegular(dump);
    if (load !== undefined) {
      cluster?.checkWriter();
      await loadStateFile(devControls, load);
    }
    if (dump === undefined) return { offers: undefined };
    const kept = { controls: devControls, chain: ledger.chain, path: dump, runtime, logger };
    return { offers: undefined, stop: keepStateFile(kept, intervalMs) };
  },
});
