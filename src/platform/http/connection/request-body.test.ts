import { describe, expect, it } from "vitest";
import { Allowance } from "../budget.ts";
import { FREE_BYTES } from "./body-buffer.ts";
import { RequestBody } from "./request-body.ts";

const MIB = 1024 * 1024;

function createBody(framing: Parameters<RequestBody["begin"]>[0]) {
  const allowance = new Allowance(MIB);
  const body = new RequestBody(MIB, allowance);
  body.begin(framing, 100);
  return { allowance, body };
}

describe("the body of a request", () => {
  it.each([
    ["alone", ["abcd"], ""],
    ["before others", ["abcdNEXT"], "NEXT"],
    ["in pieces", ["a", "bc", "dNEXT"], "NEXT"],
    ["in pieces, the last alone", ["abc", "d"], ""],
  ])("of a known length comes %s", (_, reads, rest) => {
    const { body } = createBody({ length: 4 });
    const taken = reads.map((read) => body.take(Buffer.from(read))?.toString());
    expect(taken).toEqual([...Array(reads.length - 1).fill(undefined), "abcd"]);
    expect(body.rest.toString()).toBe(rest);
    // the next one of the connection
    body.begin({ length: 2 }, 100);
    expect(body.take(Buffer.from("xyz"))?.toString()).toBe("xy");
    expect(body.rest.toString()).toBe("z");
  });

  it("may be taken from memory that is used again, as long as it stays incomplete", () => {
    const { body } = createBody({ length: 4 });
    expect([3, 4, 5].map((bytes) => body.isInside(bytes))).toEqual([true, false, false]);
    const read = Buffer.from("abc");
    expect(body.take(read)).toBeUndefined();
    read.fill(0);
    expect(body.isInside(1)).toBe(false);
    expect(body.take(Buffer.from("d"))?.toString()).toBe("abcd");
  });

  it("in chunks may be taken so within a chunk", () => {
    const { body } = createBody("chunked");
    expect(body.isInside(1)).toBe(false);
    body.take(Buffer.from("3\r\n"));
    expect([2, 3].map((bytes) => body.isInside(bytes))).toEqual([true, false]);
    const read = Buffer.from("ab");
    body.take(read);
    read.fill(0);
    expect(body.isInside(1)).toBe(false);
    expect(body.take(Buffer.from("c\r\n0\r\n\r\n"))?.toString()).toBe("abc");
  });

  it("in chunks ends with the last of them, and the next one may have a length", () => {
    const { body } = createBody("chunked");
    expect(body.take(Buffer.from("2\r\nab\r\n"))).toBeUndefined();
    expect(body.rest).toHaveLength(0);
    expect(body.take(Buffer.from("1\r\nc\r\n0\r\n\r\nNEXT"))?.toString()).toBe("abc");
    expect(body.rest.toString()).toBe("NEXT");
    body.begin({ length: 2 }, 100);
    expect(body.take(Buffer.from("2\r"))?.toString()).toBe("2\r");
  });

  it("in chunks is held to the limit of its request", () => {
    const { body } = createBody("chunked");
    expect(() => body.take(Buffer.from("65\r\n"))).toThrow(expect.objectContaining({ status: 413 }));
  });

  it("gives its memory back when it is complete or given up", () => {
    const { allowance, body } = createBody({ length: 4 * FREE_BYTES });
    body.take(Buffer.alloc(3 * FREE_BYTES));
    expect(body.taken).toBeGreaterThanOrEqual(2 * FREE_BYTES);
    expect(allowance.used).toBe(body.taken);
    body.take(Buffer.alloc(FREE_BYTES));
    expect([body.taken, allowance.used]).toEqual([0, 0]);
    body.begin("chunked", 100);
    body.take(Buffer.from("2\r\na"));
    body.release();
    expect(body.taken).toBe(0);
    body.begin({ length: 1 }, 100);
    expect(body.take(Buffer.from("x"))?.toString()).toBe("x");
  });
});
