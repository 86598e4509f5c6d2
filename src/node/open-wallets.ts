import { join } from "node:path";
import { systemRuntime } from "../platform/runtime/system.ts";
import { silentLogger } from "../platform/telemetry/logger.ts";
import { createKeystore } from "../wallet/keystore/keystore.ts";
import type { Keystore, WalletBackend } from "../wallet/wallet.ts";
import { combineWallets } from "../wallet/wallets.ts";
import type { DevSetup } from "./dev/dev-chain.ts";
import { createMemoryKeyFolder } from "./memory-key-folder.ts";
import type { NodeOptions } from "./node-options.ts";

/** The wallets of a node: its key store, with the accounts of a development chain, and what the options add. */
export function openWallets(options: NodeOptions, setup: DevSetup | undefined): Keystore {
  const backends: WalletBackend[] = [];
  const keystore = openKeystore(options, setup);
  return backends.length === 0 ? keystore : combineWallets(keystore, backends);
}

function openKeystore(options: NodeOptions, setup: DevSetup | undefined): Keystore {
  const { runtime = systemRuntime, logger = silentLogger, dataDir, keystoreDir, lightKdf } = options;
  const folder = keystoreDir ?? (dataDir && join(dataDir, "keystore"));
  const keystore = createKeystore({
    ...runtime,
    dir: folder ?? "",
    logger: logger.child("wallet"),
    ...(folder === undefined && { folder: createMemoryKeyFolder() }),
    ...(lightKdf !== undefined && { light: lightKdf }),
  });
  for (const { privateKey } of setup?.accounts ?? []) keystore.addUnlocked(privateKey);
  return keystore;
}
