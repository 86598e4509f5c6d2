import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance, DEFAULT_TIMES, UnsentBytes } from "./budget.ts";
import { listenHttp } from "./listener.ts";

const MIB = 1024 * 1024;

/** A server that answers what it understood of each request. */
async function serve() {
  const budget = {
    ...{ connections: new Allowance(1000), bodies: new Allowance(MIB), unsent: new UnsentBytes(MIB) },
    times: DEFAULT_TIMES,
    slice: new TimeSlice(),
  };
  const understood = { admitted: 0 };
  const listener = await listenHttp(
    {
      maxBody: MIB,
      admit: () => {
        understood.admitted++;
        return {
          ...{ status: 200, headers: "", text: "", close: false },
          handle: (body, _, { target, fields }) => `<${target} ${fields["x-pad"]?.length ?? 0} ${body}>`,
        };
      },
    },
    { host: "127.0.0.1", port: 0, budget },
  );
  onTestFinished(() => listener.close());
  return { understood, port: listener.port };
}

interface Sent {
  readonly target: string;
  readonly pad: number;
  readonly body: string;
  readonly emptyLines: number;
}

function textOf({ target, pad, body, emptyLines }: Sent, last = false): string {
  const padding = pad === 0 ? "" : `X-Pad: ${"p".repeat(pad)}\r\n`;
  const close = last ? "Connection: close\r\n" : "";
  const head = `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${padding}${close}\r\n`;
  return "\r\n".repeat(emptyLines) + head + body;
}

/** Sends a text in pieces, and reads until the connection is closed. */
async function exchange(port: number, text: string, cuts: readonly number[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  const closed = once(socket, "close");
  let from = 0;
  for (const cut of [...cuts, text.length].map((place) => place % (text.length + 1)).sort((a, b) => a - b)) {
    if (cut <= from) continue;
    await new Promise((sent) => socket.write(text.slice(from, cut), sent));
    from = cut;
  }
  if (from < text.length) socket.write(text.slice(from));
  await closed;
  return answer;
}

const bodiesOf = (answer: string) => answer.match(/<[^>]*>/g);

it("requests are understood the same whether or not they repeat a head, and wherever they are cut", async () => {
  const { port } = await serve();
  const sent: fc.Arbitrary<Sent> = fc.record({
    target: fc.constantFrom("/", "/a"),
    pad: fc.constantFrom(0, 0, 1, 2500),
    body: fc.constantFrom("", "1", "22", "\r\n", "\r\n\r\n"),
    emptyLines: fc.constantFrom(0, 0, 0, 1),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(4000), { maxLength: 6 }),
      async (requests, cuts) => {
        const last = requests.length - 1;
        const answer = await exchange(
          port,
          requests.map((each, i) => textOf(each, i === last)).join(""),
          cuts,
        );
        expect(bodiesOf(answer)).toEqual(
          requests.map(({ target, pad, body }) => `<${target} ${pad} ${body}>`),
        );
      },
    ),
    { numRuns: 150 },
  );
});

it("a repeated head is admitted once", async () => {
  const { port, understood } = await serve();
  const same = { target: "/", pad: 0, body: "1", emptyLines: 0 };
  const other = { ...same, target: "/b" };
  const requests = [same, same, same, same, other, same, same];
  const text = requests.map((each) => textOf(each)).join("") + textOf(same, true);
  expect(bodiesOf(await exchange(port, text, []))).toHaveLength(8);
  expect(understood.admitted).toBe(4);
});
