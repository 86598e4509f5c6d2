import { afterEach, describe, expect, it, vi } from "vitest";
import { connectionLine, responseHead } from "./response.ts";

afterEach(() => vi.useRealTimers());

const CLOSE = "Connection: close\r\n";
const parts = { status: 200, headers: "X: y\r\n", connection: "", length: 7 };
const linesOf = (of: Partial<typeof parts>) =>
  responseHead({ ...parts, ...of })
    .split("\r\n")
    .filter((line) => !line.startsWith("Date: "));

describe("the head of a response", () => {
  it("has its status, headers and length, whatever came before", () => {
    for (let round = 0; round < 2; round++) {
      expect(linesOf({})).toEqual(["HTTP/1.1 200 OK", "X: y", "Content-Length: 7", "", ""]);
      expect(linesOf({ length: 8 })).toEqual(["HTTP/1.1 200 OK", "X: y", "Content-Length: 8", "", ""]);
      expect(linesOf({ headers: "" })).toEqual(["HTTP/1.1 200 OK", "Content-Length: 7", "", ""]);
      expect(linesOf({ connection: CLOSE })).toEqual([
        ...["HTTP/1.1 200 OK", "X: y", "Connection: close", "Content-Length: 7", "", ""],
      ]);
      expect(linesOf({ status: 503 })[0]).toBe("HTTP/1.1 503 Service Unavailable");
      expect(linesOf({ status: 599 })[0]).toBe("HTTP/1.1 599 Unknown");
    }
  });

  it("without a body has no length", () => {
    expect(linesOf({ status: 204, length: 0 })).toEqual(["HTTP/1.1 204 No Content", "X: y", "", ""]);
  });

  it("is dated by the second", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2024, 1, 29, 23, 59, 59, 999) });
    expect(responseHead(parts)).toContain("\r\nDate: Thu, 29 Feb 2024 23:59:59 GMT\r\n");
    vi.setSystemTime(Date.UTC(2024, 2, 1));
    expect(responseHead(parts)).toContain("\r\nDate: Fri, 01 Mar 2024 00:00:00 GMT\r\n");
  });
});

it.each([
  [1, true, ""],
  [1, false, CLOSE],
  [0, true, "Connection: keep-alive\r\n"],
  [0, false, CLOSE],
] as const)("HTTP/1.%d, kept alive: %j, says %j of the connection", (minor, keepAlive, line) => {
  expect(connectionLine(minor, keepAlive)).toBe(line);
});
