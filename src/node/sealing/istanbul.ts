import { join } from "node:path";
import type { DiskHealth } from "../../ledger/database/disk-health.ts";
import { IstanbulEngine } from "../../network/consensus/istanbul/engine/istanbul-engine.ts";
import type { RoundWatch } from "../../network/consensus/istanbul/engine/round-watch.ts";
import { VoteJournal } from "../../network/consensus/istanbul/journal/vote-journal.ts";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import type { NodeOptions } from "../node-options.ts";
import type { EngineParts } from "../storage/ledger.ts";
import type { ValidatorLinks } from "./validator-links.ts";

/** Folder of the vote journal in the data folder. */
const VOTES = "votes";

/** The engine of a node with a key among several validators. Its votes are kept in the data folder. */
export function createIstanbulEngine(
  { runtime = systemRuntime, logger = silentLogger, dataDir }: NodeOptions,
  { rules, validators }: EngineParts,
  own: {
    readonly nodeKey: Uint8Array;
    readonly settings: ProposerSettings;
    readonly links: ValidatorLinks;
    /** Health of the disk as the votes find it. */
    readonly voteHealth: DiskHealth;
    readonly watch: RoundWatch;
  },
): IstanbulEngine {
  const { nodeKey, settings, links, voteHealth, watch } = own;
  const openJournal = (): VoteJournal =>
    dataDir === undefined
      ? VoteJournal.inMemory()
      : VoteJournal.open(runtime.files, join(dataDir, VOTES), voteHealth);
  return new IstanbulEngine({
    ...{ rules, validators, nodeKey, settings, openJournal, watch, runtime },
    peers: () => links.peers,
    logger: logger.child("consensus"),
  });
}
