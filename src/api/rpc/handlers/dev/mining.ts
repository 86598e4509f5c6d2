import type { anvilMining, devClock, devMining, evmMining } from "../../spec/dev/mining.ts";
import type { Done } from "../../spec/dev/values.ts";
import type { Handlers } from "../../spec/method.ts";
import type { MiningControls } from "./dev-controls.ts";

/** From here on a number for `setIntervalMining` is milliseconds. */
const MILLISECONDS_FROM = 1000n;
/** From here on (the year 5138 in seconds) a time is in milliseconds. */
const EPOCH_MS_FROM = 100_000_000_000n;

/** @param unitMs - what a timestamp interval counts */
export function devMiningHandlers(
  mining: MiningControls,
  done: Done,
  unitMs: bigint,
): Handlers<typeof devMining> {
  return {
    async mine({ blocks = 1n, interval = 0n }) {
      await mining.mine(Number(blocks), interval === 0n ? undefined : Number(interval));
      return done;
    },
    getAutomine: () => mining.isAutomatic,
    setBlockTimestampInterval({ interval }) {
      mining.setTimeInterval((interval * unitMs) / 1000n);
      return done;
    },
    removeBlockTimestampInterval: () => mining.setTimeInterval(undefined),
  };
}

/** Clock and modes of mining. */
export function devClockHandlers(mining: MiningControls, done: Done): Handlers<typeof devClock> {
  return {
    setAutomine({ enabled }) {
      mining.setAutomatic(enabled);
      return done;
    },
    setIntervalMining({ interval }) {
      mining.setInterval(Number(interval < MILLISECONDS_FROM ? interval * 1000n : interval));
      return done;
    },
    increaseTime: ({ seconds }) => Math.floor(mining.advance(Number(seconds) * 1000) / 1000),
    setNextBlockTimestamp({ timestamp }) {
      mining.setNextTime(timestamp);
      return done;
    },
    setTime({ timestamp }) {
      const epochMs = timestamp < EPOCH_MS_FROM ? timestamp * 1000n : timestamp;
      return Math.floor(mining.setTime(Number(epochMs)) / 1000);
    },
  };
}

/** `evm_mine`, which always answers `0x0`. */
export function evmMiningHandlers(mining: MiningControls): Handlers<typeof evmMining> {
  return {
    async mine({ options: { timestamp, blocks = 1n } = {} }) {
      if (timestamp !== undefined) mining.setNextTime(timestamp);
      await mining.mine(Number(blocks));
      return "0x0";
    },
  };
}

/** What only anvil has. */
export function anvilMiningHandlers(mining: MiningControls): Handlers<typeof anvilMining> {
  return {
    getIntervalMining: () => (mining.intervalMs === undefined ? null : Math.floor(mining.intervalMs / 1000)),
  };
}
