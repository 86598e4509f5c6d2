import { join } from "node:path";
import type { Chain } from "../../ledger/chain/chain.ts";
import { retryUntilLoaded } from "../../ledger/state/missing-state.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { UsbBus } from "../../wallet/hardware/usb/usb-bus.ts";
import { createKeyDeriver, type Derivation } from "../../wallet/keystore/key-derivation.ts";
import { createKeyFolder } from "../../wallet/keystore/key-folder.ts";
import { createKeystore } from "../../wallet/keystore/keystore.ts";
import type { Keystore, WalletBackend } from "../../wallet/wallet.ts";
import { combineWallets } from "../../wallet/wallets.ts";
import type { NodeOptions } from "../node-options.ts";
import { createMemoryKeyFolder } from "./memory-key-folder.ts";

/** Maximum time that start-up waits for the accounts of an external signer. */
const SIGNER_START_MS = 3000;

/**
 * Opens the wallets of a node: its keystore, with the accounts of a development chain, and the backends selected by the options.
 * @param accountKeys - private keys that are kept unlocked, 32 bytes each
 * @param chain - determines which accounts of hardware wallets are in use
 * @param derive - derives keys from passphrases
 */
export async function openWallets(
  options: NodeOptions,
  accountKeys: readonly Uint8Array[],
  chain: Pick<Chain, "latestState">,
  derive: Derivation,
): Promise<Keystore> {
  if (options.dataDir !== undefined) checkDataDir(options.dataDir, options.logger);
  const backends: WalletBackend[] = [];
  if (options.usb) backends.push(await openDevices(options.usb, options, chain));
  if (options.signer !== undefined) backends.push(await openSigner(options.signer, options));
  const keystore = openKeystore(options, accountKeys, derive);
  return backends.length === 0 ? keystore : combineWallets(keystore, backends);
}

/**
 * Warns if others can access the data folder: besides keys it contains the chain, and the IPC socket, which trusts every caller.
 */
function checkDataDir(folder: string, logger = silentLogger): void {
  const mode = createKeyFolder(folder).sharedMode();
  if (mode === undefined) return;
  logger.child("wallet").warn("the data folder is accessible to users other than its owner", {
    ...{ folder, mode, fix: `chmod 700 '${folder}'` },
  });
}

async function openDevices(
  usb: true | UsbBus,
  { runtime = systemRuntime, logger = silentLogger }: NodeOptions,
  chain: Pick<Chain, "latestState">,
): Promise<WalletBackend> {
  const [{ openHardwareWallets }, { openSystemBus }] = await Promise.all([
    import("../../wallet/hardware/hardware-wallets.ts"),
    import("../../wallet/hardware/usb/system-bus.ts"),
  ]);
  const log = logger.child("wallet");
  const bus = usb === true ? await openSystemBus(log) : usb;
  const isUsed = (address: Address): boolean => {
    const { nonce = 0n, balance = 0n } = chain.latestState().account(address) ?? {};
    return nonce > 0n || balance > 0n;
  };
  return openHardwareWallets({
    ...{ bus, timers: runtime.timers, logger: log },
    isUsed: (address) => retryUntilLoaded(() => isUsed(address)),
  });
}

/** Connects to a signer; start-up does not wait for one that asks a person. */
async function openSigner(
  endpoint: string,
  { runtime = systemRuntime, logger = silentLogger }: NodeOptions,
): Promise<WalletBackend> {
  const { createRemoteSigner } = await import("../../wallet/remote/remote-signer.ts");
  const { timers } = runtime;
  const signer = createRemoteSigner({ endpoint, timers, logger: logger.child("wallet") });
  await new Promise<void>((resolve) => {
    const cancel = timers.schedule(SIGNER_START_MS, resolve);
    void signer.connect().then(() => {
      cancel();
      resolve();
    });
  });
  return signer;
}

function openKeystore(
  options: NodeOptions,
  accountKeys: readonly Uint8Array[],
  derive: Derivation,
): Keystore {
  const { runtime = systemRuntime, logger = silentLogger, dataDir, keystoreDir, lightKdf } = options;
  const folder = keystoreDir ?? (dataDir && join(dataDir, "keystore"));
  const keystore = createKeystore({
    ...runtime,
    dir: folder ?? "",
    logger: logger.child("wallet"),
    deriver: createKeyDeriver(derive, options.keyDerivation),
    ...(folder === undefined && { folder: createMemoryKeyFolder() }),
    ...(lightKdf !== undefined && { light: lightKdf }),
  });
  for (const privateKey of accountKeys) keystore.addUnlocked(privateKey);
  keystore.accounts(); // reads the folder now rather than during a call
  return keystore;
}
