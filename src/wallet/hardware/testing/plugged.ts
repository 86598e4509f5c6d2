import { createSimulatedRuntime, type SimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Wallet, WalletBackend } from "../../wallet.ts";
import { openHardwareWallets } from "../hardware-wallets.ts";
import { FakeBus, type FakeDevice } from "./fake-bus.ts";

/** Hardware wallets on a fake bus in virtual time. */
export interface Plugged {
  readonly bus: FakeBus;
  readonly runtime: SimulatedRuntime;
  readonly backend: WalletBackend;
  /** All log lines, at the most verbose level. */
  readonly lines: readonly string[];
  /** Addresses that the chain knows, in hex. */
  readonly used: Set<string>;
  wallet(url: string): Wallet;
}

/** Opens the wallets of devices that are connected from the start. */
export async function plugged(devices: Readonly<Record<string, FakeDevice>>): Promise<Plugged> {
  const bus = new FakeBus();
  for (const [path, device] of Object.entries(devices)) bus.plug(path, device);
  const runtime = createSimulatedRuntime();
  const lines: string[] = [];
  const used = new Set<string>();
  const { logger } = createLogger({
    verbosity: 5,
    format: "text",
    now: () => 0,
    write: (line) => void lines.push(line),
  });
  const isUsed = (address: Address): boolean => used.has(bytesToHex(address));
  const backend = await openHardwareWallets({ bus, timers: runtime.timers, logger, isUsed });
  const wallet = (url: string): Wallet => {
    const found = backend.wallets().find((one) => one.url === url);
    if (found === undefined) throw new Error(`no wallet ${url}`);
    return found;
  };
  return { bus, runtime, backend, lines, used, wallet };
}
