import { expect, it } from "vitest";
import { systemRuntime } from "../runtime/system.ts";
import { createHttpClient } from "./http-client.ts";

it.each(["http://%zz@127.0.0.1:1/", "http://a:%ff@127.0.0.1:1/"])(
  "credentials of %s that nobody can decode are refused, and not repeated",
  async (text) => {
    const { timers } = systemRuntime;
    const client = createHttpClient({ timers, connections: 1, keepAlive: false });
    const posted = client.post({ url: new URL(text), body: "", timeoutMs: 1000, most: 1000 });
    await expect(posted).rejects.toMatchObject({ code: "FORBIDDEN_TARGET" });
    await expect(posted).rejects.not.toThrow(/%/);
    client.close();
  },
);
