import { expect, it } from "vitest";
import { RpcError } from "../../engine/errors.ts";
import { fileRefusal } from "./null-after.ts";

const failed = (message: string, members: object) => Object.assign(new Error(message), members);

it("hides the path in a file error, and reports an unknown host", () => {
  const missing = fileRefusal(
    failed("ENOENT: no such file or directory, open '/a/b'", { errno: -2, code: "ENOENT" }),
  );
  expect(missing).toMatchObject({ rpcCode: -32000, message: "ENOENT: no such file or directory" });
  const host = { errno: -3008, code: "ENOTFOUND", syscall: "getaddrinfo", hostname: "abcd" };
  const unknown = fileRefusal(failed("getaddrinfo ENOTFOUND abcd", host));
  expect(unknown).toMatchObject({ rpcCode: -32000, message: "listen tcp: lookup abcd: no such host" });
  expect(unknown).toBeInstanceOf(RpcError);
  const other = new Error("x");
  expect(fileRefusal(other)).toBe(other);
});
