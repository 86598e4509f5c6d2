import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { refused } from "../../engine/errors.ts";
import type { Handlers } from "../../spec/method.ts";
import type { miner } from "../../spec/node/miner.ts";

/** An operator's control over sealing. */
export interface MinerControls {
  /** Resumes after `stop`. */
  start(): void;
  /** Resolves when the last block is on disk. */
  stop(): Promise<void>;
  /** @param vanity - at most `MAX_EXTRA_BYTES` for the extra data of headers */
  setExtra(vanity: Uint8Array): void;
  /** @param price - kei per gas below which transactions are left out */
  setGasPrice(price: bigint): void;
  setRewardbase(address: Address): void;
  /** The setting, from launch or later; undefined = the node's own address. */
  readonly rewardbase: Address | undefined;
}

/** The 32nd byte of the free part of a header's extra data is the round in which it was committed. */
const MAX_EXTRA_BYTES = 31;

/**
 * The miner namespace.
 * @param controls - undefined on a node that seals no blocks, which refuses every call
 */
export function minerHandlers(controls: MinerControls | undefined): Handlers<typeof miner> {
  const sealing = (): MinerControls => {
    if (controls === undefined) throw refused("this node seals no blocks: it is not a validator");
    return controls;
  };
  const setRewardbase = ({ address }: { readonly address: Address }): boolean => {
    sealing().setRewardbase(address);
    return true;
  };
  return {
    start() {
      sealing().start();
      return null;
    },
    async stop() {
      await sealing().stop();
      return true;
    },
    setExtra({ extra }) {
      const bytes = new TextEncoder().encode(extra);
      if (bytes.length > MAX_EXTRA_BYTES)
        throw refused(`extra exceeds max length. ${bytes.length} > ${MAX_EXTRA_BYTES}`);
      sealing().setExtra(bytes);
      return true;
    },
    setGasPrice({ price }) {
      sealing().setGasPrice(price);
      return true;
    },
    setEtherbase: setRewardbase,
    setRewardbase,
  };
}
