import type { ConnectionOptions } from "node:tls";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstBytes } from "../testing/first-bytes.ts";
import { readClientHello } from "./client-hello.ts";

/** The same message in records of a few bytes. */
function inRecords(hello: Buffer, bytes: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 5; at < hello.length; at += bytes) {
    const part = hello.subarray(at, at + bytes);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(records);
}

describe("the first message of a TLS client", () => {
  it.each<[string, ConnectionOptions, boolean]>([
    ["by default", {}, false],
    ["with a name and protocols", { servername: "a.example", ALPNProtocols: ["h2", "http/1.1"] }, false],
    ["of TLS 1.2", { maxVersion: "TLSv1.2" }, false],
    ["with a key on P-256 alone", { ecdhCurve: "prime256v1" }, false],
    ["with a key for another group", { ecdhCurve: "secp521r1:X25519" }, true],
  ])("%s is read to its end, whole and in records", async (_, options, needsRetry) => {
    const hello = await firstBytes(options);
    for (const bytes of [hello, inRecords(hello, 50)]) {
      expect(readClientHello(bytes)).toEqual({ needsRetry });
      expect(readClientHello(Buffer.concat([bytes, Buffer.from("more")]))).toEqual({ needsRetry });
      for (let length = 0; length < bytes.length; length++)
        expect(readClientHello(bytes.subarray(0, length))).toBe("incomplete");
    }
  });

  it("needs another if it has a key for another group, whatever that key is", async () => {
    const hello = await firstBytes({ ecdhCurve: "secp521r1:X25519" });
    const key = hello.indexOf(Buffer.from([0x00, 0x19, 0x00, 0x85])) + 4;
    hello.set([0x00, 0x1d], key); // the number of X25519
    expect(readClientHello(hello)).toEqual({ needsRetry: true });
  });

  it.each([
    ["plain HTTP", Buffer.from("GET / HTTP/1.1\r\n")],
    ["another version of records", Buffer.from([22, 2])],
    ["another record", Buffer.from([23, 3, 1, 0, 1, 1])],
    ["another message", Buffer.from([22, 3, 1, 0, 1, 2])],
    ["a record of 60 KB", Buffer.from([22, 3, 1, 0xf0, 0])],
    ["a message of 16 MB", Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff])],
    [
      "empty records without end",
      Buffer.concat(Array.from({ length: 100 }, () => Buffer.from([22, 3, 1, 0, 0]))),
    ],
  ])("is refused if it is %s", (_, bytes) => {
    const whole = bytes.length < 5 ? Buffer.concat([bytes, Buffer.alloc(5)]) : bytes;
    expect(readClientHello(whole)).toBe("invalid");
  });

  it("is read without an error, whatever it is", async () => {
    const hello = await firstBytes({});
    const change = fc.record({ at: fc.nat(hello.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.nat(hello.length), (changes, length) => {
        const bytes = Buffer.from(hello.subarray(0, length));
        for (const { at, byte } of changes) if (at < length) bytes[at] = byte;
        readClientHello(bytes);
      }),
    );
  });
});
