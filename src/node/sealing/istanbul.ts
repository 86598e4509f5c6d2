import { join } from "node:path";
import { DiskHealth } from "../../ledger/database/disk-health.ts";
import { IstanbulEngine } from "../../network/consensus/istanbul/engine/istanbul-engine.ts";
import type { RoundWatch } from "../../network/consensus/istanbul/engine/round-watch.ts";
import type { PassedMessage, ValidatorPeer } from "../../network/consensus/istanbul/engine/validator-peer.ts";
import { VoteJournal } from "../../network/consensus/istanbul/journal/vote-journal.ts";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import type { ValidatorSide } from "../../network/sync/chain-network.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import type { NodeOptions } from "../node-options.ts";
import type { EngineParts, Ledger } from "../storage/ledger.ts";

/** Folder of the votes within the data folder. */
const VOTES = "votes";

/** The consensus nodes that are connected, between the engine, which is there first, and the network. */
export class ValidatorLinks {
  engine: IstanbulEngine | undefined;
  readonly #peers = new Set<ValidatorPeer>();

  get peers(): Iterable<ValidatorPeer> {
    return this.#peers;
  }

  connected(peer: ValidatorPeer): void {
    this.#peers.add(peer);
    this.engine?.greet(peer);
  }

  gone(peer: ValidatorPeer): void {
    this.#peers.delete(peer);
  }

  /** @throws NodeError when no honest node would have sent it */
  receive(peer: ValidatorPeer, message: PassedMessage): void {
    this.engine?.receive(peer, message);
  }
}

/** The engine of a node with a key among several validators. Its votes are kept in the data folder. */
export function createIstanbulEngine(
  { runtime = systemRuntime, logger = silentLogger, dataDir }: NodeOptions,
  { rules, validators }: EngineParts,
  own: {
    readonly nodeKey: Uint8Array;
    readonly settings: ProposerSettings;
    readonly links: ValidatorLinks;
    readonly watch: RoundWatch;
  },
): IstanbulEngine {
  const { nodeKey, settings, links, watch } = own;
  const openJournal = (): VoteJournal =>
    dataDir === undefined
      ? VoteJournal.inMemory()
      : VoteJournal.open(runtime.files, join(dataDir, VOTES), new DiskHealth(runtime.timers));
  return new IstanbulEngine({
    ...{ rules, validators, nodeKey, settings, openJournal, watch, runtime },
    peers: () => links.peers,
    logger: logger.child("consensus"),
  });
}

/** What a consensus node needs to meet others. The council is looked up for each connecting node. */
export function validatorsOf({ chain, extensions }: Ledger, links: ValidatorLinks): ValidatorSide {
  return {
    hasSeat: (address) =>
      extensions.validators
        .council(chain.tip.header.number + 1n)
        .some((validator) => equalBytes(validator, address)),
    connected: (peer) => links.connected(peer),
    gone: (peer) => links.gone(peer),
    receive: (peer, message) => links.receive(peer, message),
  };
}
