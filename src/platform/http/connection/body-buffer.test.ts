import { describe, expect, it } from "vitest";
import { Allowance } from "../budget.ts";
import { BodyBuffer, FREE_BYTES } from "./body-buffer.ts";

const MIB = 1024 * 1024;

function createBody(limit: number, most = Number.POSITIVE_INFINITY) {
  const allowance = new Allowance(most);
  return { allowance, body: new BodyBuffer(limit, allowance) };
}

describe("a body in pieces", () => {
  it("is handed over whole, and the pieces do not keep it", () => {
    const { allowance, body } = createBody(100);
    const pieces = ["se", "", "cret"].map((text) => Buffer.from(text));
    for (const piece of pieces) body.append(piece);
    expect([body.length, Buffer.concat(pieces).every((byte) => byte === 0)]).toEqual([6, true]);
    expect(body.hand().toString()).toBe("secret");
    expect(body.length).toBe(0);
    body.append(Buffer.from("next"));
    expect(body.hand().toString()).toBe("next");
    expect([allowance.used, body.taken]).toEqual([0, 0]);
  });

  it("takes memory beyond the first 64 KiB from what all have, never more than its limit or twice its size", () => {
    const { allowance, body } = createBody(MIB);
    body.append(Buffer.alloc(FREE_BYTES));
    expect(allowance.used).toBe(0);
    for (let length = FREE_BYTES; length < MIB; length += 1024) {
      body.append(Buffer.alloc(1024));
      const held = FREE_BYTES + allowance.used;
      expect(allowance.used).toBe(body.taken);
      expect(held).toBeGreaterThanOrEqual(body.length);
      expect(held).toBeLessThanOrEqual(Math.min(MIB, 2 * body.length));
    }
    expect(allowance.used).toBe(MIB - FREE_BYTES);
    expect(body.hand()).toHaveLength(MIB);
    expect([allowance.used, body.taken]).toEqual([0, 0]);
  });

  it("is mapped from 128 KiB on, so that its memory returns to the system", () => {
    const { body } = createBody(MIB);
    const isMapped = (bytes: Buffer) => (bytes.buffer as unknown as { resizable: boolean }).resizable;
    body.append(Buffer.alloc(128 * 1024 - 1, 7));
    expect(isMapped(body.hand())).toBe(false);
    body.append(Buffer.alloc(64 * 1024, 7));
    body.append(Buffer.alloc(64 * 1024, 8));
    const bytes = body.hand();
    expect([isMapped(bytes), bytes.length, bytes[0], bytes.at(-1)]).toEqual([true, 128 * 1024, 7, 8]);
  });

  it("is refused where there is no memory for it, and what it has is kept until it is released", () => {
    const { allowance, body } = createBody(MIB, FREE_BYTES);
    body.append(Buffer.alloc(2 * FREE_BYTES, 7));
    expect(allowance.used).toBe(FREE_BYTES);
    expect(() => body.append(Buffer.alloc(1))).toThrow(
      expect.objectContaining({ status: 503, message: "too many requests are coming in" }),
    );
    expect([body.length, allowance.used]).toEqual([2 * FREE_BYTES, FREE_BYTES]);
    body.release();
    expect([body.length, allowance.used, body.hand().length]).toEqual([0, 0, 0]);
  });
});
