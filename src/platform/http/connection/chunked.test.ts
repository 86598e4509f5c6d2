import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Allowance } from "../budget.ts";
import { BodyBuffer } from "./body-buffer.ts";
import { ChunkedBody } from "./chunked.ts";

/** What a decoder of bodies of at most 100 bytes makes of this input, in reads of this size. */
function decoded(wire: string | Buffer, size = Number.POSITIVE_INFINITY) {
  const bytes = Buffer.from(wire);
  const body = new BodyBuffer(100, new Allowance(0));
  const decoder = new ChunkedBody(100, body);
  let at = 0;
  while (at < bytes.length && !decoder.complete) {
    const taken = decoder.take(Buffer.from(bytes.subarray(at, Math.min(bytes.length, at + size))));
    at += taken;
  }
  return {
    complete: decoder.complete,
    text: body.hand().toString("latin1"),
    rest: bytes.toString("latin1", at),
  };
}

const refusal = (status: number) => expect.objectContaining({ name: "BodyError", status });

describe("a chunked body", () => {
  it("is decoded however it is split, up to its end and no further", () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 16 }), { maxLength: 6 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 40 }), (parts, size) => {
        const wire = parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, "\r\n"]);
        const bytes = Buffer.concat([...wire, "0\r\n\r\nNEXT"].map((part) => Buffer.from(part as string)));
        const whole = Buffer.concat(parts).toString("latin1");
        expect(decoded(bytes, size)).toEqual({ complete: true, text: whole, rest: "NEXT" });
      }),
    );
  });

  it.each([
    [
      "sizes in capital or small letters",
      `A\r\n${"x".repeat(10)}\r\na\r\n${"y".repeat(10)}\r\n0\r\n\r\n`,
      20,
    ],
    ["extensions, and blanks before them", "2 ;a=b\r\nxy\r\n1;c\r\nz\r\n0;d\r\n\r\n", 3],
    ["trailers, which are dropped", "1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n", 1],
    ["eight digits", "00000002\r\nxy\r\n0\r\n\r\n", 2],
    ["as many bytes as are allowed", `64\r\n${"x".repeat(100)}\r\n0\r\n\r\n`, 100],
    ["no bytes", "0\r\n\r\n", 0],
  ])("may have %s", (_, wire, length) => {
    for (const size of [1, 7, 1000]) {
      const { complete, text, rest } = decoded(wire, size);
      expect([complete, text.length, rest]).toEqual([true, length, ""]);
    }
  });

  it.each([
    ["without a size", "\r\nx", 400],
    ["with a size that is no number", "g\r\nx", 400],
    ["with a sign", "-1\r\nx", 400],
    ["with a size that ends with a line feed alone", "2\nxy\r\n0\r\n\r\n", 400],
    ["with an extension that ends with a line feed alone", "2;\nxy\r\n0\r\n\r\n", 400],
    ["whose data end with a line feed alone", "2\r\nxy\n0\r\n\r\n", 400],
    ["whose end is a line feed alone", "2\r\nxy\r\n0\r\n\n", 400],
    ["with a bare carriage return in an extension", "2;\rx\r\nxy\r\n0\r\n\r\n", 400],
    ["with a control character in a trailer", "0\r\nA: \0\r\n\r\n", 400],
    ["with another blank after its size", "2\xa0\r\nxy\r\n0\r\n\r\n", 400],
    ["with nine digits", "000000001\r\nx", 400],
    ["longer than it says", "1\r\nxy\r\n", 400],
    ["longer than allowed", "65\r\n", 413],
    ["of chunks that are longer than allowed together", `64\r\n${"x".repeat(100)}\r\n1\r\n`, 413],
    ["with an endless line", `1;${"x".repeat(255)}`, 400],
    ["with endless trailers", `0\r\n${"A: b\r\n".repeat(2049)}`, 400],
  ])("%s is refused", (_, wire, status) => {
    for (const size of [1, 7, 100_000]) expect(() => decoded(wire, size)).toThrow(refusal(status));
  });

  it("may have lines of 256 bytes and trailers of 8 KiB", () => {
    expect(decoded(`1;${"x".repeat(252)}\r\nx\r\n0\r\n\r\n`).complete).toBe(true);
    expect(decoded(`0\r\n${"A: b\r\n".repeat(2048)}\r\n`).complete).toBe(true);
  });

  it("is incomplete until its last line", () => {
    for (const wire of ["", "2", "2\r\nx", "2\r\nxy", "2\r\nxy\r\n", "2\r\nxy\r\n0\r\n", "0\r\nA: b\r\n"])
      expect(decoded(wire).complete, wire).toBe(false);
  });
});
