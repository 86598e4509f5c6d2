import { join } from "node:path";
import { watchDisk } from "../../storage/disk-watch.ts";
import { genesisOf } from "../../storage/genesis.ts";
import { createIndexingLog } from "../../storage/indexing-log.ts";
import { openLedger } from "../../storage/ledger.ts";
import { development } from "../development.ts";
import { instruments } from "../instruments.ts";
import { nodeKey } from "../node-key.ts";
import { part } from "../part.ts";
import { blockTurns } from "./block-turns.ts";
import { changeLog } from "./change-log.ts";
import { compiler } from "./compiler.ts";
import { consensus } from "./consensus.ts";
import { recovery } from "./recovery.ts";

/** Time limit for stopping: rows in memory are written then, possibly to a slow disk. */
const CLOSE_MS = 120_000;

/** Blocks whose changes a writer may have to read again, because its log lacks them; no fewer than other nodes keep. */
function recentBlocksFor(maxBehind: number): number {
  return Math.max(128, maxBehind + 64);
}

/** The chain and everything that reads, builds and imports blocks. */
export const ledger = part({
  name: "ledger",
  needs: { blockTurns, changeLog, compiler, consensus, development, instruments, nodeKey, recovery },
  stopMs: CLOSE_MS,
  async start(
    { blockTurns, changeLog, compiler, consensus, development, instruments, nodeKey, recovery },
    { options, runtime, logger },
  ) {
    const { dataDir } = options;
    const genesis = genesisOf(options, development?.genesis);
    const offers = await openLedger({
      ...(dataDir && { directory: join(dataDir, "chaindata") }),
      ...(genesis && { genesis }),
      ...(nodeKey && { blsKey: nodeKey.blsKey }),
      engine: consensus.engineOver,
      history: options.history ?? (development && "archive"),
      recovery,
      compiler,
      overrides: development?.overrides,
      fork: development?.ledgerFork,
      feed: changeLog?.feed,
      takesFutureBlocks: changeLog?.isFed === true,
      ...(changeLog && { recentBlocks: recentBlocksFor(changeLog.settings.maxBehind) }),
      runtime: { ...runtime, files: instruments.timedFiles(runtime.files) },
      blockTimers: instruments.blockTimers,
      blockTurns: blockTurns.turns,
      onIndexing: createIndexingLog(logger.child("chain"), runtime.clock),
    });
    watchDisk(offers.own.health, offers.own.stats(), logger.child("db"));
    return { offers, stop: () => offers.store.close() };
  },
});
