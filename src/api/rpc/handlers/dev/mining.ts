import type { anvilMining, devClock, devMining, evmMining } from "../../spec/dev/mining.ts";
import type { Done } from "../../spec/dev/values.ts";
import type { Handlers } from "../../spec/method.ts";
import type { SealingControls } from "./dev-controls.ts";

/** `setIntervalMining` reads numbers from this on as milliseconds. */
const MILLISECONDS_FROM = 1000n;
/** Times from this on (the year 5138 in seconds) are in milliseconds. */
const EPOCH_MS_FROM = 100_000_000_000n;

/** @param unitMs - unit of a timestamp interval */
export function devMiningHandlers(
  sealing: SealingControls,
  done: Done,
  unitMs: bigint,
): Handlers<typeof devMining> {
  return {
    async mine({ blocks = 1n, interval = 0n }) {
      await sealing.seal(Number(blocks), interval === 0n ? undefined : Number(interval));
      return done;
    },
    getAutomine: () => sealing.isAutomatic,
    setBlockTimestampInterval({ interval }) {
      sealing.setTimeInterval((interval * unitMs) / 1000n);
      return done;
    },
    removeBlockTimestampInterval: () => sealing.setTimeInterval(undefined),
  };
}

/** Clock and modes of sealing. */
export function devClockHandlers(sealing: SealingControls, done: Done): Handlers<typeof devClock> {
  return {
    setAutomine({ enabled }) {
      sealing.setAutomatic(enabled);
      return done;
    },
    setIntervalMining({ interval }) {
      sealing.setInterval(Number(interval < MILLISECONDS_FROM ? interval * 1000n : interval));
      return done;
    },
    increaseTime: ({ seconds }) => Math.floor(sealing.advance(Number(seconds) * 1000) / 1000),
    setNextBlockTimestamp({ timestamp }) {
      sealing.setNextTime(timestamp);
      return done;
    },
    setTime({ timestamp }) {
      const epochMs = timestamp < EPOCH_MS_FROM ? timestamp * 1000n : timestamp;
      return Math.floor(sealing.setTime(Number(epochMs)) / 1000);
    },
  };
}

/** `evm_mine`, which always returns `0x0`. */
export function evmMiningHandlers(sealing: SealingControls): Handlers<typeof evmMining> {
  return {
    async mine({ options: { timestamp, blocks = 1n } = {} }) {
      if (timestamp !== undefined) sealing.setNextTime(timestamp);
      await sealing.seal(Number(blocks));
      return "0x0";
    },
  };
}

/** Methods that only anvil has. */
export function anvilMiningHandlers(sealing: SealingControls): Handlers<typeof anvilMining> {
  return {
    getIntervalMining: () =>
      sealing.intervalMs === undefined ? null : Math.floor(sealing.intervalMs / 1000),
  };
}
