import { describe, expect, it } from "vitest";
import { MemoryChangeLog } from "../testing/memory-change-log.ts";
import { LeaseWatch, MAX_LEASE_MS } from "./lease-watch.ts";

describe("LeaseWatch", () => {
  it("considers a lease expired if it was not renewed for its duration, whatever the database's clock says", async () => {
    let [own, theirs] = [0, 1_000_000];
    const log = new MemoryChangeLog(() => theirs);
    const hash = new Uint8Array(32);
    await log.prepare({ genesisHash: hash, chainId: 1n }, { height: 0n, hash });
    const ask = (overdue?: string) => log.acquire({ holder: "b", url: "", ttlMs: 5_000, overdue });
    const watch = new LeaseWatch({ elapsed: () => own });
    const writer = await log.acquire({ holder: "a", url: "", ttlMs: 5_000 });
    const see = async () => watch.overdue(await log.state());
    expect(await see()).toBeUndefined();
    theirs -= 3_600_000; // set back by an hour; the writer renews
    own += 10_000;
    await log.renew(writer?.epoch ?? 0n, 5_000);
    expect(await see()).toBeUndefined();
    own += 5_500; // and is gone
    expect(await see()).toBeUndefined();
    theirs -= 3_600_000;
    own += 600;
    expect(await ask()).toBeUndefined();
    const overdue = await see();
    await log.renew(writer?.epoch ?? 0n, 4_000); // it was not, after all
    expect(await ask(overdue)).toBeUndefined();
    expect(await see()).toBeUndefined();
    own += MAX_LEASE_MS + 1_000;
    expect((await ask(await see()))?.epoch).toBe(2n);
  });

  it("waits no longer than the maximum duration of a lease, whatever the row says", () => {
    let own = 0;
    const watch = new LeaseWatch({ elapsed: () => own });
    const state = { until: "2099-01-01 00:00:00+00", leftMs: 86_400_000 };
    expect(watch.overdue(state)).toBeUndefined();
    own = MAX_LEASE_MS;
    expect(watch.overdue(state)).toBeUndefined();
    own = MAX_LEASE_MS + 1_000;
    expect(watch.overdue(state)).toBe(state.until);
  });
});
