import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { RpcError, refused } from "../../engine/errors.ts";
import { MAX_RESPONSE_LENGTH } from "../../engine/text/bounded-text.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { anvilChain, devChain, devSnapshots } from "../../spec/dev/chain.ts";
import type { Done } from "../../spec/dev/values.ts";
import type { Handlers } from "../../spec/method.ts";
import type { ChainControls } from "./dev-controls.ts";

/** Next block, pool and chain under anvil's or Hardhat's names; they differ in what setters return. */
export function devChainHandlers(
  chain: ChainControls,
  reads: HeavyReads,
  done: Done,
): Handlers<typeof devChain> {
  return {
    setNextBlockBaseFeePerGas({ baseFee }) {
      chain.setNextBaseFee(baseFee);
      return done;
    },
    setCoinbase({ address }) {
      chain.setRewardbase(address);
      return done;
    },
    setPrevRandao({ value }) {
      chain.setPrevRandao(value);
      return done;
    },
    setMinGasPrice() {
      // Anvil's text and code; the base fee is the minimum price.
      throw new RpcError(-32602, "anvil_setMinGasPrice is not supported when EIP-1559 is active");
    },
    setLoggingEnabled: () => done,
    async setRpcUrl({ url }, { access }) {
      await chain.setForkUrl(url, access.local === true);
      return done;
    },
    dropTransaction: ({ hash }) => dropped(chain.drop(hash), hash, done),
    dropAllTransactions() {
      chain.dropAll();
      return done;
    },
    dumpState: (_, context) =>
      reads.run(context, (pace) => chain.dump({ pace, characters: MAX_RESPONSE_LENGTH / 2 })),
    async loadState({ state }, { access }) {
      await chain.load(state, access.local === true);
      return true;
    },
    async reset({ options }, { access }) {
      await chain.reset(options, access.local === true);
      return done;
    },
    // Hardhat's plugins request this twice per test, and a suite takes hundreds of snapshots.
    metadata: () =>
      done === true ? chain.metadata() : { ...chain.metadata(), snapshots: chain.snapshotsById() },
  };
}

/** Hardhat returns whether it was there, anvil its hash. */
function dropped(wasThere: boolean, hash: Hash, done: Done): string | boolean | null {
  if (done === true) return wasThere;
  return wasThere ? bytesToHex(hash) : null;
}

/** Methods that only anvil has. */
export function anvilChainHandlers(chain: ChainControls): Handlers<typeof anvilChain> {
  return {
    nodeInfo: () => chain.nodeInfo(),
    removePoolTransactions({ address }) {
      chain.dropAll(address);
      return null;
    },
    setChainId() {
      throw refused("the chain id cannot be changed: start a new chain with --chain-id");
    },
    async rollback({ depth = 1n }) {
      await chain.rollback(depth);
      return null;
    },
  };
}

/** Snapshots. */
export function devSnapshotHandlers(chain: ChainControls): Handlers<typeof devSnapshots> {
  return {
    snapshot: async () => `0x${(await chain.snapshot()).toString(16)}`,
    revert: ({ id }) => chain.revert(id),
    setBlockGasLimit: () => true,
  };
}
