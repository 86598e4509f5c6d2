import { expect, it, vi } from "vitest";
import { HttpCaller } from "../client.ts";
import { parseHead } from "../connection/head.ts";
import type { Reply } from "../service.ts";
import { serveRoutes } from "./routes.ts";

const head = (text: string) => parseHead(text) as Exclude<ReturnType<typeof parseHead>, number>;

it("handles requests one after the other once the time of a turn is used up", async () => {
  const turns: (() => void)[] = [];
  const slice = {
    isDue: vi.fn(() => true).mockReturnValueOnce(false),
    yield: vi.fn(() => new Promise<void>((resolve) => turns.push(resolve))),
  };
  const handle = vi.fn((): Reply => ({ status: 200, headers: "", body: "answer" }));
  const service = serveRoutes([{ method: "GET", path: "/", handle }], { hosts: ["*"], maxBody: 0, slice });
  const request = head("GET / HTTP/1.1\r\nHost: a");
  const answers = ["first", "second", "third"].map((name) => {
    const connection = { name };
    const client = new HttpCaller("", connection);
    return service.admit(request, client).handle?.(Buffer.alloc(0), client, request);
  });
  expect(handle).toHaveBeenCalledTimes(1);
  expect(answers[0]).toMatchObject({ body: "answer" });
  expect(slice.yield.mock.calls).toEqual([
    ["clients", { name: "second" }],
    ["clients", { name: "third" }],
  ]);
  turns[0]?.();
  expect(await answers[1]).toMatchObject({ body: "answer" });
  expect(handle).toHaveBeenCalledTimes(2);
  turns[1]?.();
  expect(await answers[2]).toMatchObject({ body: "answer" });
  expect(handle).toHaveBeenCalledTimes(3);
});
