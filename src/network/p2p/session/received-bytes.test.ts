import { expect, it } from "vitest";
import { ReceivedBytes } from "./received-bytes.ts";

it("disconnects the peer with the most when all together have more than the limit", () => {
  const received = new ReceivedBytes(100);
  const dropped: string[] = [];
  const set = (peer: { name: string }, held: number) =>
    received.set(peer, held, () => void dropped.push(peer.name));
  const [a, b, c] = [{ name: "a" }, { name: "b" }, { name: "c" }];
  set(a, 30);
  set(b, 50);
  set(c, 20);
  expect([dropped, received.total]).toEqual([[], 100]);
  set(b, 10);
  set(c, 41);
  expect([dropped, received.total]).toEqual([[], 81]);
  set(a, 50);
  expect([dropped, received.total]).toEqual([["a"], 51]);
  received.forget(c);
  received.forget(a);
  expect(received.total).toBe(10);
});
