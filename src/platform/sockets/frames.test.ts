import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PAYLOAD, PipeFrame, PipeFrameReader, PipeFrameWriter } from "./frames.ts";

/** A writer whose writes are recorded, and whose turn of the event loop ends when the test lets it. */
function writing() {
  const writes: Buffer[] = [];
  const turn: (() => void)[] = [];
  const sink = { write: (bytes: Uint8Array) => writes.push(Buffer.from(bytes)) };
  const frames = new PipeFrameWriter(sink, (flush) => turn.push(flush));
  const endTurn = () => {
    for (const flush of turn.splice(0)) flush();
  };
  return { frames, writes, endTurn };
}

/** The frames in some bytes; consecutive data frames of a connection are joined. */
function read(chunks: readonly Uint8Array[]) {
  const found: [kind: PipeFrame, connection: number, payload: string][] = [];
  const reader = new PipeFrameReader((kind, connection, payload) => {
    const last = found.at(-1);
    if (kind === PipeFrame.data && last?.[0] === PipeFrame.data && last[1] === connection)
      last[2] += payload.toString("hex");
    else found.push([kind, connection, payload.toString("hex")]);
  });
  for (const chunk of chunks) reader.feed(Buffer.from(chunk));
  return found;
}

describe("frames", () => {
  const frame = fc.oneof(
    fc.record({ data: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
    fc.record({ long: fc.integer({ min: 1, max: 3 * MAX_PAYLOAD }) }),
    fc.record({ text: fc.stringMatching(/^[ -~]{1,30}$/) }),
    fc.record({ number: fc.integer({ min: 0, max: 2 ** 32 - 1 }) }),
    fc.record({
      kind: fc.constantFrom(
        PipeFrame.open,
        PipeFrame.end,
        PipeFrame.close,
        PipeFrame.pause,
        PipeFrame.resume,
      ),
    }),
  );

  it("arrive as they were written, wherever the pipe splits them", () => {
    const connection = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(
        fc.uniqueArray(connection, { minLength: 12, maxLength: 12 }),
        fc.array(frame, { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 100_000 })),
        (connections, wanted, sizes) => {
          const { frames, writes, endTurn } = writing();
          const expected = wanted.map((one, i): [PipeFrame, number, string] => {
            const id = connections[i] as number;
            if ("kind" in one) {
              frames.signal(one.kind, id);
              return [one.kind, id, ""];
            }
            if ("number" in one) {
              frames.number(PipeFrame.sent, id, one.number);
              const bytes = Buffer.alloc(4);
              bytes.writeUInt32LE(one.number);
              return [PipeFrame.sent, id, bytes.toString("hex")];
            }
            const bytes =
              "text" in one
                ? Buffer.from(one.text)
                : "long" in one
                  ? Buffer.alloc(one.long, i + 1)
                  : Buffer.from(one.data);
            if ("text" in one) frames.latin1(id, one.text);
            else frames.data(id, bytes);
            return [PipeFrame.data, id, bytes.toString("hex")];
          });
          endTurn();
          const all = Buffer.concat(writes);
          const chunks: Uint8Array[] = [];
          for (let at = 0; at < all.length; ) {
            const size = sizes.next().value;
            chunks.push(all.subarray(at, at + size));
            at += size;
          }
          expect(read(chunks)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("of one turn are sent in one write", () => {
    const { frames, writes, endTurn } = writing();
    for (let id = 0; id < 100; id++) frames.latin1(id, "answer");
    expect(writes).toEqual([]);
    endTurn();
    expect(writes).toHaveLength(1);
    expect(read(writes)).toHaveLength(100);
  });

  it("leave bytes that the pipe still holds unchanged", () => {
    const held: Uint8Array[] = [];
    let endTurn = () => {};
    const frames = new PipeFrameWriter({ write: (bytes) => held.push(bytes) }, (flush) => {
      endTurn = flush;
    });
    for (let id = 0; id < 20_000; id++) {
      frames.latin1(id, `answer ${id}`);
      if (id % 7 === 0) endTurn();
    }
    endTurn();
    const found = read(held).map(([, id, payload]) => [id, Buffer.from(payload, "hex").toString()]);
    expect(found).toEqual(Array.from({ length: 20_000 }, (_, id) => [id, `answer ${id}`]));
  });

  it("say whether their payload was copied", () => {
    const { frames } = writing();
    expect(frames.data(1, Buffer.alloc(100))).toBe(true);
    expect(frames.data(1, Buffer.alloc(MAX_PAYLOAD))).toBe(false);
    expect(frames.data(1, Buffer.alloc(MAX_PAYLOAD + 100))).toBe(false);
  });

  it("overwrite the pieces from which they were joined", () => {
    const { frames, writes, endTurn } = writing();
    frames.latin1(1, "secret");
    endTurn();
    const bytes = writes[0] as Buffer;
    const pieces = [Buffer.from(bytes.subarray(0, 12)), Buffer.from(bytes.subarray(12))] as const;
    const found: string[] = [];
    const reader = new PipeFrameReader((_kind, _id, payload) => found.push(payload.toString()));
    for (const piece of pieces) reader.feed(piece);
    expect(found).toEqual(["secret"]);
    for (const piece of pieces) expect(piece.every((byte) => byte === 0)).toBe(true);
  });

  it("are rejected when their header announces more than the maximum", () => {
    const header = Buffer.alloc(9);
    header.writeUInt32LE(MAX_PAYLOAD + 1);
    const reader = new PipeFrameReader(() => {});
    expect(() => reader.feed(header)).toThrow(RangeError);
  });
});
