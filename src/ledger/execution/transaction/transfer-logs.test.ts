import { describe, expect, it } from "vitest";
import { leftPad } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { alice, CONTRACT, createWorld, made, STRANGER } from "../testing/world.ts";
import { applyTransaction } from "./transaction.ts";
import { TransferLogs } from "./transfer-logs.ts";

const NATIVE_TOKEN = `0x${"ee".repeat(20)}`;
/** An empty log without topics. */
const LOG = "60006000a0";
/** Sends one kei to the stranger. */
const PAY = `60006000600060006001${`73${bytesToHex(STRANGER).slice(2)}`}5af150`;
const REVERT = "60006000fd";
/** Sends one kei to BLAKE2F, which fails without input. */
const PAY_IN_VAIN = "600060006000600060016009612710f150";

/** Logs of a transaction that sends five kei to code, with transfers among them, as `emitter: sender → recipient, value`. */
function logsOf(code: string): string[] {
  const world = createWorld({ code: hexToBytes(`0x${code}`) });
  const transfers = new TransferLogs(world.state);
  const found: string[] = [];
  const beforeEnd = () => {
    for (const { address, topics, data } of transfers.among(world.state.logs)) {
      const [, from, to] = topics.map(bytesToHex);
      found.push(`${bytesToHex(address)}: ${from && `${from} → ${to}, ${Number(bytesToHex(data))}`}`);
    }
  };
  applyTransaction(made("LegacyTransaction", { to: CONTRACT, value: 5n }), world, {
    tracer: transfers.tracer,
    beforeEnd,
  });
  return found;
}

const word = (address: Uint8Array) => bytesToHex(leftPad(address, 32));

describe("transfers among the logs", () => {
  const received = `${NATIVE_TOKEN}: ${word(alice.address)} → ${word(CONTRACT)}, 5`;
  const paid = `${NATIVE_TOKEN}: ${word(CONTRACT)} → ${word(STRANGER)}, 1`;
  const logged = `${bytesToHex(CONTRACT)}: undefined`;

  it("are in order of occurrence", () => {
    expect(logsOf(LOG + PAY + LOG)).toEqual([received, logged, paid, logged]);
    expect(logsOf(PAY + PAY + LOG)).toEqual([received, paid, paid, logged]);
    expect(logsOf(LOG + LOG + PAY)).toEqual([received, logged, logged, paid]);
  });

  it("do not include those that were reverted", () => {
    expect(logsOf(PAY + LOG + REVERT)).toEqual([]);
    expect(logsOf(PAY + PAY_IN_VAIN + LOG)).toEqual([received, paid, logged]);
  });
});
