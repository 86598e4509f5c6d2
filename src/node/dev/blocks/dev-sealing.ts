import type { SealingControls } from "../../../api/rpc/handlers/dev/dev-controls.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ChainClock } from "../../../network/consensus/solo/chain-clock.ts";
import type { SealingMode } from "../../../network/consensus/solo/sealing-mode.ts";
import type { SealingService } from "../../../network/consensus/solo/sealing-service.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";

/** When a development chain seals blocks, and what its clock shows. */
export class DevSealing implements SealingControls {
  readonly #sealing: SealingService;
  readonly #clock: ChainClock;
  readonly #chain: Blockchain;

  constructor(parts: {
    readonly sealing: SealingService;
    readonly clock: ChainClock;
    readonly chain: Blockchain;
  }) {
    this.#sealing = parts.sealing;
    this.#clock = parts.clock;
    this.#chain = parts.chain;
  }

  get isAutomatic(): boolean {
    const { mode, isPaused } = this.#sealing;
    if (isPaused) return false;
    return mode.kind === "onDemand" || (mode.kind === "interval" && mode.onDemand === true);
  }

  get intervalMs(): number | undefined {
    const { mode } = this.#sealing;
    return mode.kind === "interval" ? mode.intervalMs : undefined;
  }

  async seal(blocks: number, spacing?: number): Promise<void> {
    await this.#sealing.sealNow(blocks, spacing);
  }

  settled(transactionHashes: readonly Hash[]): Promise<void> | undefined {
    return this.#sealing.settled(() =>
      transactionHashes.every((hash) => this.#chain.locate(hash) !== undefined),
    );
  }

  setAutomatic(isAutomatic: boolean): void {
    this.#sealing.setMode(modeOf(isAutomatic, this.intervalMs));
  }

  setInterval(intervalMs: number): void {
    this.#sealing.setMode(modeOf(this.isAutomatic, intervalMs === 0 ? undefined : intervalMs));
  }

  advance(milliseconds: number): number {
    return this.#clock.advance(milliseconds);
  }

  setTime(epochMs: number): number {
    const before = this.#clock.now();
    this.#clock.set(epochMs);
    return epochMs - before;
  }

  setNextTime(seconds: bigint): void {
    this.#clock.setNext(seconds, this.#chain.tip.header);
  }

  setTimeInterval(seconds: bigint | undefined): boolean {
    const hadOne = this.#clock.setting.intervalSeconds !== undefined;
    this.#clock.setInterval(seconds);
    return hadOne;
  }
}

function modeOf(isAutomatic: boolean, intervalMs: number | undefined): SealingMode {
  if (intervalMs !== undefined) return { kind: "interval", intervalMs, onDemand: isAutomatic };
  return { kind: isAutomatic ? "onDemand" : "manual" };
}
