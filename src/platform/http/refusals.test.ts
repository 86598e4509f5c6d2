import { once } from "node:events";
import { expect, it } from "vitest";
import { RefusalCounts } from "./budget.ts";
import { textVerdict } from "./service.ts";
import { ask, budget, CLOSING, MIB, ok, open, serve } from "./testing/server.ts";

const REFUSED: readonly (readonly [status: number, request: string])[] = [
  [400, "GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n"],
  [403, CLOSING.replace("Host: a", "Host: b")],
  [413, CLOSING.replace("Length: 1", `Length: ${MIB + 1}`)],
  [417, CLOSING.replace("Host: a", "Host: a\r\nExpect: much")],
  [431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(9000)}\r\n\r\n`],
];
const admit = ({ fields }: { readonly fields: { readonly host?: string } }) =>
  fields.host === "b" ? textVerdict(403, "foreign") : ok(() => "fine");

it("counts each refused request by its status, and no others", async () => {
  const refusals = new RefusalCounts();
  await serve({ admit }, { budget: { ...budget(), refusals } });
  expect(await ask(CLOSING)).toContain(" 200 ");
  for (const [status, request] of REFUSED) {
    expect(refusals.of(status)).toBe(0);
    for (let times = 1; times <= 2; times++) {
      expect(await ask(request)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(refusals.of(status)).toBe(times);
    }
  }
  expect(refusals.of(200)).toBe(0);
});

it("counts a repeated head each time, and a refusal whose body is not read", async () => {
  const refusals = new RefusalCounts();
  await serve(
    { admit: () => ({ ...textVerdict(405, "no"), close: false }) },
    { budget: { ...budget(), refusals } },
  );
  await ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n".repeat(3) + CLOSING);
  expect(refusals.of(405)).toBe(4);
});

it("counts connections beyond the limit as 503", async () => {
  const refusals = new RefusalCounts();
  await serve({}, { budget: { ...budget(), refusals }, maxConnections: 1 });
  const first = open();
  first.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
  await once(first, "data");
  expect(await ask(CLOSING)).toContain(" 503 ");
  expect(refusals.of(503)).toBe(1);
  first.destroy();
});
