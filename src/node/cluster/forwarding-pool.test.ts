import { describe, expect, it } from "vitest";
import type { TransactionPool } from "../../ledger/txpool/pool.ts";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import type { HttpClient, HttpPost } from "../../platform/intake/http-client.ts";
import { ForwardingPool } from "./forwarding-pool.ts";
import { checkedUrl } from "./own-url.ts";

const own = {} as TransactionPool;

function client(answer: (message: HttpPost) => Promise<unknown>): HttpClient {
  const post = async (message: HttpPost) => {
    const body = Buffer.from(JSON.stringify(await answer(message)));
    return { status: 200, type: "application/json", body };
  };
  return { post, close() {} };
}

describe("ForwardingPool", () => {
  const transaction = transfer(wallet(1), { nonce: 0n }, 2019n);

  it("fails if the writer's URL leads back to the node itself", async () => {
    let asked = 0;
    const pool: ForwardingPool = new ForwardingPool(
      own,
      client(async () => {
        asked++;
        const { message } = await pool.add(transaction, { local: true }).then(
          () => ({ message: "taken" }),
          (error: Error) => error,
        );
        return { error: { code: -32_000, message } };
      }),
      () => "http://127.0.0.1:8551/",
    );
    await expect(pool.add(transaction, { local: true })).rejects.toThrow(
      "does the writer's address lead here?",
    );
    expect(asked).toBe(1);
  });

  it("returns the writer's error code, or its own if there is none", async () => {
    for (const [code, want] of [
      [-32_010, -32_010],
      ["x", -32_000],
      [1.5, -32_000],
    ] as const) {
      const answer = { error: { code, message: "no" } };
      const pool = new ForwardingPool(
        own,
        client(async () => answer),
        () => "http://127.0.0.1:1/",
      );
      await expect(pool.add(transaction, { local: true })).rejects.toMatchObject({
        rpcCode: want,
        message: "no",
      });
    }
  });

  it("passes on no key of the writer's address that its errors repeat", async () => {
    const key = "0123456789abcdef";
    const answer = { error: { code: -32_000, message: `no /${key}` } };
    const pool = new ForwardingPool(
      own,
      client(async () => answer),
      () => `http://127.0.0.1:1/${key}`,
    );
    await expect(pool.add(transaction, { local: true })).rejects.toThrow(/^no \/…$/);
  });

  it("sends nothing to an address that a writer cannot have", async () => {
    const pool = new ForwardingPool(
      own,
      client(() => expect.unreachable()),
      () => "http://169.254.169.254/latest",
    );
    await expect(pool.add(transaction, { local: true })).rejects.toThrow("one of the link");
  });
});

describe("checkedUrl", () => {
  for (const text of [
    ...[
      "file:///etc/passwd",
      "gopher://a",
      "http://user:secret@writer/",
      "http://2852039166/",
      "http://[fe80::1]/",
    ],
    ...["http://[::ffff:169.254.169.254]/", "http://0xa9.0xfe.1/", `http://writer/${"a".repeat(2_048)}`, ""],
  ])
    it(`refuses ${text.slice(0, 40)}, and does not repeat it`, () => {
      expect(() => checkedUrl(text)).toThrow(/^the writer's address is (no|one)/);
    });
  it("allows private networks", () => {
    expect(checkedUrl("http://10.0.0.5:8551").href).toBe("http://10.0.0.5:8551/");
  });
});
