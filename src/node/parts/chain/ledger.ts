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
import { compiler } from "./compiler.ts";
import { consensus } from "./consensus.ts";
import { recovery } from "./recovery.ts";

/** What is in memory is written at the end, possibly to a slow disk. */
const CLOSE_MS = 120_000;

/** The chain and everything that reads, builds and imports blocks. */
export const ledger = part({
  name: "ledger",
  needs: { blockTurns, compiler, consensus, development, instruments, nodeKey, recovery },
  stopMs: CLOSE_MS,
  async start(
    { blockTurns, compiler, consensus, development, instruments, nodeKey, recovery },
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
      runtime: { ...runtime, files: instruments.timedFiles(runtime.files) },
      blockTimers: instruments.blockTimers,
      blockTurns: blockTurns.turns,
      onIndexing: createIndexingLog(logger.child("chain"), runtime.clock),
    });
    watchDisk(offers.own.health, offers.own.stats(), logger.child("db"));
    return { offers, stop: () => offers.store.close() };
  },
});
