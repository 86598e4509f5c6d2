import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { PostgresConnection } from "./connection.ts";
import { parseDatabaseUrl } from "./database-url.ts";

// A hostile database, or whoever responds in its place, does no harm.

const servers: Server[] = [];
const sockets: Socket[] = [];
/** What the servers are sent after the greeting. */
const received: Buffer[] = [];
afterEach(() => {
  received.length = 0;
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A message of the protocol: its letter, the length of what follows, and that. */
function message(letter: string, body: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = message("Z", Buffer.from("I"));
const WELCOME = Buffer.concat([message("R", Buffer.alloc(4)), READY]);
const row = (...cells: readonly string[]) =>
  message(
    "D",
    Buffer.concat([
      Buffer.from([0, cells.length]),
      ...cells.map((cell) => Buffer.concat([Buffer.from([0, 0, 0, cell.length]), Buffer.from(cell)])),
    ]),
  );
/** One column, of text. */
const COLUMN = Buffer.concat([Buffer.from("a\0"), Buffer.alloc(18)]);
const COLUMNS = message("T", Buffer.concat([Buffer.from([0, 1]), COLUMN]));

/** A server that greets, and then responds to each statement by `answer`. */
async function serverOf(
  answer: (socket: Socket) => void,
  welcome: Uint8Array = WELCOME,
  allowCleartextPasswords = true,
): Promise<PostgresConnection> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(welcome);
      socket.on("data", (bytes) => {
        received.push(bytes);
        answer(socket);
      });
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const address = parseDatabaseUrl(`postgres://kairn:secret@127.0.0.1:${port}/chain`);
  return new PostgresConnection({ address, timeoutMs: 1_000, allowCleartextPasswords });
}

/** Sends pieces until the other side has disconnected. @returns a count of what was sent */
function flood(socket: Socket, piece: Uint8Array): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
    socket.once("drain", more);
  };
  more();
}

describe("PostgresConnection", () => {
  it("reads a valid response", async () => {
    const right = Buffer.concat([COLUMNS, row("x"), message("C", Buffer.from("SELECT 1\0")), READY]);
    const connection = await serverOf((socket) => socket.write(right));
    expect(await connection.query("SELECT 1")).toEqual([{ a: "x" }]);
    await connection.close();
  });

  for (const [name, answer] of Object.entries<(socket: Socket) => void>({
    "rows without end": (socket) => {
      socket.write(COLUMNS);
      flood(socket, Buffer.concat(Array.from({ length: 500 }, () => row("x"))));
    },
    "notices without end": (socket) =>
      flood(socket, message("N", Buffer.concat([Buffer.alloc(60_000, 83), Buffer.alloc(2)]))),
    "one message without end": (socket) => {
      const head = Buffer.from("D\x7f\xff\xff\xff", "latin1");
      socket.write(head);
      flood(socket, Buffer.alloc(65_536));
    },
    "a row of fewer than no columns": (socket) =>
      socket.write(Buffer.concat([COLUMNS, message("D", Buffer.from([0xff, 0xff]))])),
    "a column that is longer than the message": (socket) =>
      socket.write(
        Buffer.concat([COLUMNS, message("D", Buffer.from([0, 1, 0x7f, 0xff, 0xff, 0xff])), READY]),
      ),
    "messages of no kind": (socket) => socket.write(Buffer.alloc(64, 0xff)),
    "a length of nothing": (socket) => socket.write(Buffer.from("D\0\0\0\0")),
    nothing: () => {},
    "an end": (socket) => socket.end(),
  }))
    it(`gives up on ${name}`, async () => {
      const connection = await serverOf(answer);
      const before = process.memoryUsage().rss;
      const result = await connection.query("SELECT 1").then(
        (rows) => rows,
        (error) => error.code,
      );
      if (typeof result === "string") expect(["LOG_UNREACHABLE", "LOG_FAILED"]).toContain(result);
      else expect(result.length).toBeLessThanOrEqual(4_096);
      expect(process.memoryUsage().rss - before).toBeLessThan(256 << 20);
      await connection.close();
    });

  for (const [name, piece, told] of [
    ["settings", message("S", Buffer.from("a\0b\0")), "messages without end"],
    ["requests for the next rows", message("s"), "messages without end"],
    ["requests for data to copy", message("G", Buffer.alloc(3)), "messages without end"],
    [
      "columns",
      message("T", Buffer.concat([Buffer.from([0, 65]), ...Array.from({ length: 65 }, () => COLUMN)])),
      "more columns than were requested",
    ],
  ] as const)
    it(`does not act on ${name} without end`, async () => {
      const connection = await serverOf((socket) =>
        socket.write(Buffer.concat([...Array.from({ length: 1_001 }, () => piece), READY])),
      );
      await expect(connection.query("SELECT 1")).rejects.toThrow(told);
      await connection.close();
    });

  for (const [name, request] of [
    ["a key", Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from("r=,s=QQ==,i=100000")])],
    ["the password", Buffer.from([0, 0, 0, 3])],
  ] as const)
    it(`derives and sends ${name} once for a server that asks again`, async () => {
      const asked = message("R", request);
      const connection = await serverOf(() => {}, Buffer.concat([asked, asked]));
      await expect(connection.query("SELECT 1")).rejects.toThrow("repeats a step of the authentication");
      await connection.close();
    });

  const sasl = Buffer.concat([Buffer.from([0, 0, 0, 10]), Buffer.from("SCRAM-SHA-256\0\0")]);
  for (const [name, request, sent] of [
    ["itself", Buffer.from([0, 0, 0, 3]), /secret/],
    ["as MD5", Buffer.from([0, 0, 0, 5, 1, 2, 3, 4]), /md5[0-9a-f]{32}/],
  ] as const)
    it(`sends the password ${name} only where that is allowed, even after SCRAM has begun`, async () => {
      for (const asked of [
        message("R", request),
        Buffer.concat([message("R", sasl), message("R", request)]),
      ]) {
        const careful = await serverOf(() => {}, asked, false);
        await expect(careful.query("SELECT 1")).rejects.toMatchObject({
          code: "LOG_DENIED",
          message: expect.stringContaining("--allow-cleartext-passwords"),
        });
        await careful.close();
      }
      expect(Buffer.concat(received).toString("latin1")).not.toMatch(/secret|md5/);
      const careless = await serverOf((socket) => socket.end(), message("R", request));
      await expect(careless.query("SELECT 1")).rejects.toMatchObject({ code: "LOG_UNREACHABLE" });
      expect(Buffer.concat(received).toString("latin1")).toMatch(sent);
    });

  it("reads values by the types of its own tables, and as text whatever else the server says they are", async () => {
    const cells = { 16: "t", 17: "\\x0102", 20: "12", 21: "3", 23: "-4", 114: "[", 1007: "{", 1184: "now" };
    const columns = Object.keys(cells).map((oid) => {
      const column = Buffer.concat([Buffer.from(`c${oid}\0`), Buffer.alloc(18)]);
      column.writeUInt32BE(Number(oid), column.length - 12);
      return column;
    });
    const answer = [
      message("T", Buffer.concat([Buffer.from([0, columns.length]), ...columns])),
      ...[row(...Object.values(cells)), message("C", Buffer.from("SELECT 1\0")), READY],
    ];
    const connection = await serverOf((socket) => socket.write(Buffer.concat(answer)));
    const [values] = await connection.query("SELECT 1");
    expect(values).toEqual({
      ...{ c16: true, c17: Buffer.from([1, 2]), c20: "12", c21: 3, c23: -4 },
      ...{ c114: "[", c1007: "{", c1184: "now" },
    });
    await connection.close();
  });

  it("refuses bytes in another form than hexadecimal, which take long to read", async () => {
    const column = Buffer.concat([Buffer.from("a\0"), Buffer.alloc(18)]);
    column.writeUInt32BE(17, column.length - 12);
    const answer = [message("T", Buffer.concat([Buffer.from([0, 1]), column])), row("\\001"), READY];
    const connection = await serverOf((socket) => socket.write(Buffer.concat(answer)));
    await expect(connection.query("SELECT 1")).rejects.toThrow("not hexadecimal");
    await connection.close();
  });

  it("passes on what a server complains of, but no megabytes of it", async () => {
    const complaint = Buffer.concat([
      Buffer.from("SERROR\0C42501\0M"),
      Buffer.alloc(9_000, 65),
      Buffer.alloc(2),
    ]);
    const connection = await serverOf((socket) =>
      socket.write(Buffer.concat([message("E", complaint), READY])),
    );
    const error = await connection.query("SELECT 1").catch((thrown) => thrown);
    expect(error.code).toBe("LOG_RIGHTS");
    expect(error.message.length).toBeLessThan(1_000);
    await connection.close();
  });

  it("passes on no password that a server repeats", async () => {
    const complaint = message("E", Buffer.from("SERROR\0C28P01\0Mnot kairn:secret\0\0"));
    const connection = await serverOf(() => {}, complaint);
    const error = await connection.query("SELECT 1").catch((thrown) => thrown);
    expect(error.message).toMatch(/not kairn:…$/);
    await connection.close();
  });

  it("gives up on an endless greeting", async () => {
    const connection = await serverOf(
      () => {},
      Buffer.concat(Array.from({ length: 40_000 }, () => message("S", Buffer.from("name\0value\0")))),
    );
    await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "LOG_UNREACHABLE" });
    await connection.close();
  });
});
