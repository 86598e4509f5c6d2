import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretText, secretString } from "../../../../protocol/codec/json/secret.ts";
import { readEnvelope } from "../jsonrpc.ts";
import { readRequest } from "../request.ts";
import { SecretPlaces } from "./secret-places.ts";

const places = new SecretPlaces(
  new Map([
    ["personal_sign", [2]],
    ["personal_replaceRawKey", [0, 1, 2]],
  ]),
);

/** A JSON string in which some characters are written as escapes. */
const written = fc.tuple(fc.string({ unit: "binary" }), fc.array(fc.boolean())).map(([text, escapes]) => {
  const units = text
    .split("")
    .map((unit, i) =>
      escapes[i] === true
        ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
        : JSON.stringify(unit).slice(1, -1),
    );
  return { text, literal: `"${units.join("")}"` };
});

/** What was read, with its secrets as strings. */
function readAsText(request: string) {
  const { envelope, secrets } = readRequest(Buffer.from(request), places);
  const text = JSON.stringify(envelope, (_, value) =>
    value instanceof SecretText ? secretString(value) : value,
  );
  return { envelope: JSON.parse(text), secrets };
}

const expected = (request: string) => JSON.parse(JSON.stringify(readEnvelope(request)));

describe("secrets of a request", () => {
  it("are decoded like strings, and no longer appear in its bytes", () => {
    fc.assert(
      fc.property(
        written,
        fc.jsonValue(),
        fc.constantFrom("", " ", "\n\t"),
        ({ text, literal }, other, gap) => {
          const request = `{"id":1,${gap}"params":[${JSON.stringify(other)},${gap}"0x",${literal}${gap}, 7],"method":"personal_sign"}`;
          const bytes = Buffer.from(request);
          const { secrets } = readRequest(bytes, places);
          expect(secrets.map(secretString)).toEqual([Buffer.from(text).toString()]);
          expect(JSON.parse(bytes.toString()).params[2]).toBe("");
          expect(bytes.length).toBe(Buffer.byteLength(request));
          expect(readAsText(request).envelope).toEqual(expected(request));
        },
      ),
    );
  });

  it("are found in each message of a batch, whatever surrounds them", () => {
    const sign = '{"method":"personal_sign","id":1,"params":["0x","0x","first"]}';
    const replace = '{"Method":"personal_replaceRawKey","id":[{"params":["no"]}],"Params":["k","o",null]}';
    const request = `[1,${sign},{"method":"web3_sha3","params":["personal_"]},${replace}] "rest"`;
    const { envelope, secrets } = readAsText(request);
    expect(secrets.map(secretString)).toEqual(["first", "k", "o"]);
    expect(envelope).toEqual(expected(request));
  });

  it("come from the last of repeated members", () => {
    const request = '{"id":1,"params":["","","early"],"method":"personal_sign","params":["","","late"]}';
    expect(readAsText(request).secrets.map(secretString)).toEqual(["late"]);
    expect(readAsText(request).envelope).toEqual(expected(request));
  });

  it("leave invalid JSON unchanged, with the same error", () => {
    fc.assert(
      fc.property(fc.nat(80), fc.constantFrom("", "x", '"', "[", "}", "\\", "\n", "\x01"), (at, put) => {
        const whole = '{"id":1,"method":"personal_sign","params":["0x","0x","a \\u0062 secret"]}';
        const request = whole.slice(0, at) + put + whole.slice(at + 1);
        expect(readAsText(request).envelope).toEqual(expected(request));
      }),
      { numRuns: 500 },
    );
  });

  it("are never printed, and are zeros once wiped", () => {
    const [secret] = readAsText('{"method":"personal_sign","params":[1,2,"hidden"]}').secrets;
    expect(`${JSON.stringify({ secret })}${inspect(secret)}${secret}`).not.toContain("hidden");
    secret?.wipe();
    expect(secret?.bytes).toEqual(new Uint8Array(6));
  });

  it("are found at any nesting without recursion", () => {
    const deep = `${"[".repeat(9000)}${"]".repeat(9000)}`;
    const request = `{"id":1,"method":"personal_sign","params":[${deep},0,"secret"]}`;
    expect(readRequest(Buffer.from(request), places).secrets).toHaveLength(1);
  });
});
