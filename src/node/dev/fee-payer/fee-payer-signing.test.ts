import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { type FeePayerParts, FeePayerService } from "./fee-payer-service.ts";
import { close, open, own, senderSigned } from "./testing/fee-payer-node.ts";

afterEach(close);

describe("whatever a fee payer receives", () => {
  it("it signs only as fee payer, and only with its own account", async () => {
    await open();
    const valid = await Promise.all([1, 2].map((index) => senderSigned(index)));
    const signed: { role: string; feePayer: string }[] = [];
    const service = new FeePayerService({
      chain: { config: { chainId: 1337n }, locate: () => ({}) } as unknown as FeePayerParts["chain"],
      store: {} as FeePayerParts["store"],
      wallets: {
        async signTransaction(address, { tx, role }) {
          signed.push({ role, feePayer: bytesToHex(address) });
          expect(bytesToHex(tx.feePayer as Uint8Array)).toBe(own(0));
          throw new Error("as far as that");
        },
      },
      ...{ timers: systemRuntime.timers, clock: systemRuntime.clock, request: async () => "0xffff" },
      account: hexToBytes(own(0)),
    });
    const mutation = fc.record({
      raw: fc.constantFrom(...valid),
      at: fc.nat(400),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ raw, at, byte }) => {
        const bytes = hexToBytes(raw);
        bytes[at % bytes.length] = byte;
        const answer = service.sign(undefined, { userSignedTx: { raw: bytesToHex(bytes) } });
        await answer.catch((error: Error) => expect(error.message).toBe("as far as that"));
      }),
      { numRuns: 300 },
    );
    expect(signed.length).toBeGreaterThan(0);
    expect(new Set(signed.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ role: "feePayer", feePayer: own(0) })]),
    );
  });
});
