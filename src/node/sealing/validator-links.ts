import type { IstanbulEngine } from "../../network/consensus/istanbul/engine/istanbul-engine.ts";
import type {
  RawConsensusMessage,
  ValidatorPeer,
} from "../../network/consensus/istanbul/engine/validator-peer.ts";
import type { ValidatorEngine } from "../../network/sync/chain-network.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import type { Ledger } from "../storage/ledger.ts";

/** The connected consensus nodes: connects the engine, which is created first, to the network. */
export class ValidatorLinks {
  engine: IstanbulEngine | undefined;
  readonly #peers = new Set<ValidatorPeer>();

  get peers(): Iterable<ValidatorPeer> {
    return this.#peers;
  }

  connected(peer: ValidatorPeer): void {
    this.#peers.add(peer);
    this.engine?.sendRecentTo(peer);
  }

  disconnected(peer: ValidatorPeer): void {
    this.#peers.delete(peer);
  }

  /** @throws NodeError when no honest node would have sent it */
  receive(peer: ValidatorPeer, message: RawConsensusMessage): void {
    this.engine?.receive(peer, message);
  }
}

/** The engine as the network uses it. The council is looked up for each connecting node. */
export function validatorsOf(
  { chain, extensions }: Pick<Ledger, "chain" | "extensions">,
  links: ValidatorLinks,
): ValidatorEngine {
  return {
    hasSeat: (address) =>
      extensions.validators
        .council(chain.tip.header.number + 1n)
        .some((validator) => equalBytes(validator, address)),
    connected: (peer) => links.connected(peer),
    disconnected: (peer) => links.disconnected(peer),
    receive: (peer, message) => links.receive(peer, message),
  };
}
