import { expect, it } from "vitest";
import type { Outflow } from "./outflow.ts";
import { ResponseWriter } from "./response-writer.ts";

/** The bytes of responses on a connection. */
function bytesOf(answers: readonly { readonly headers?: string; readonly body: string }[]): string {
  const written: Buffer[] = [];
  const out = {
    write: (text: string, encoding: BufferEncoding) => void written.push(Buffer.from(text, encoding)),
  };
  const writer = new ResponseWriter(out as unknown as Outflow);
  for (const { headers = "", body } of answers) writer.answer({ status: 200, headers, body }, "", false);
  writer.flush();
  return Buffer.concat(written).toString();
}

const LONG = 20_000;

it.each([
  ["ASCII", ["plain", "short"]],
  ["text of two bytes a character behind ASCII", ["plain", "grün", "plain"]],
  ["text that Latin-1 does not have", ["한국어", "🙂"]],
  ["long texts of both kinds", ["a".repeat(LONG), "ü".repeat(LONG), "a".repeat(LONG)]],
])("writes %s as UTF-8 of the length it names", (_, bodies) => {
  let rest = bytesOf(bodies.map((body) => ({ body })));
  for (const body of bodies) {
    const [head = ""] = rest.split("\r\n\r\n", 1);
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    rest = rest.slice(head.length + 4);
    expect(rest.startsWith(body)).toBe(true);
    rest = rest.slice(body.length);
  }
  expect(rest).toBe("");
});

it("writes headers that echo a client's unchanged", () => {
  const headers = "Access-Control-Allow-Origin: http://é.example\r\n";
  expect(bytesOf([{ headers, body: "x" }])).toContain(headers);
});
