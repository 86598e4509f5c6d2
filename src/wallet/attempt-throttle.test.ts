import { beforeEach, describe, expect, it, vi } from "vitest";
import { createSimulatedRuntime, type SimulatedRuntime } from "../platform/runtime/simulated.ts";
import { AttemptThrottle, accountCreations, passphraseGuesses } from "./attempt-throttle.ts";
import { walletError } from "./errors.ts";

const address = "0x01";
const other = "0x02";
const START = 1_700_000_000_000;

let runtime: SimulatedRuntime;
let throttle: AttemptThrottle;
const onFailure = vi.fn();
const tried: number[] = [];
beforeEach(() => {
  runtime = createSimulatedRuntime({ startMs: START });
  throttle = new AttemptThrottle({ ...runtime, rule: passphraseGuesses, onCounted: onFailure });
  tried.length = 0;
  onFailure.mockClear();
});

/** Makes an attempt; `tried` records when it is checked, in milliseconds since the start. */
function guess(isRight: boolean, account = address): Promise<unknown> {
  return throttle
    .attempt(account, async () => {
      tried.push(runtime.clock.now() - START);
      if (!isRight) throw walletError("WRONG_PASSPHRASE");
    })
    .catch((error: unknown) => error);
}

async function guessWrongly(times: number): Promise<void> {
  for (let i = 0; i < times; i++) await guess(false);
}

describe("guessing passphrases", () => {
  it("is free five times, and then delayed twice as long each time, up to a minute", async () => {
    await guessWrongly(5);
    expect(tried).toEqual([0, 0, 0, 0, 0]);
    const attempts = Array.from({ length: 8 }, () => guess(false));
    await runtime.advance(200_000);
    await Promise.all(attempts);
    expect(tried.slice(5)).toEqual([1, 3, 7, 15, 31, 63, 123, 183].map((seconds) => seconds * 1000));
    expect(onFailure).toHaveBeenLastCalledWith(address, 13);
  });

  it("is not faster with concurrent attempts", async () => {
    const attempts = Array.from({ length: 20 }, () => guess(false));
    await runtime.advance(0);
    expect(tried.length).toBe(5);
    await runtime.advance(1000);
    expect(tried.length).toBe(6);
    await runtime.advance(2000);
    expect(tried.length).toBe(7);
    throttle.close();
    await Promise.all(attempts);
    expect(tried.length).toBe(7);
    expect(runtime.scheduled).toBe(0);
  });

  it("is not faster beside the right passphrase", async () => {
    const ends: (() => void)[] = [];
    const slow = () => throttle.attempt(address, () => new Promise<void>((resolve) => ends.push(resolve)));
    const first = Array.from({ length: 5 }, slow);
    await runtime.advance(0);
    for (const end of ends.slice(0, 4)) end();
    await Promise.all(first.slice(0, 4));
    const more = Array.from({ length: 6 }, slow);
    await runtime.advance(0);
    expect(ends).toHaveLength(9);
    for (let i = 4; i < 11; i++) {
      ends[i]?.();
      await runtime.advance(0);
    }
    await Promise.all([...first, ...more]);
  });

  it("has a limited queue, a long one until a passphrase has been wrong", async () => {
    const trusted = Array.from({ length: 1006 }, () => guess(true, other));
    expect(await trusted[1005]).toMatchObject({ code: "KDF_BUSY" });
    await runtime.advance(0);
    expect((await Promise.all(trusted)).filter((error) => error !== undefined)).toHaveLength(1);
    await guessWrongly(5);
    const attempts = Array.from({ length: 17 }, () => guess(false));
    expect(await attempts[16]).toMatchObject({ code: "KDF_BUSY" });
    throttle.close();
    await Promise.all(attempts);
  });

  it("starts over after the right passphrase and after ten quiet minutes", async () => {
    await guessWrongly(5);
    const right = guess(true);
    await runtime.advance(1000);
    await right;
    await guessWrongly(5);
    expect(tried.slice(6)).toEqual([1000, 1000, 1000, 1000, 1000]);
    await runtime.advance(600_000);
    await guessWrongly(5);
    expect(tried.slice(11)).toEqual([601_000, 601_000, 601_000, 601_000, 601_000]);
  });

  it("is counted per account, and does not slow down others", async () => {
    await guessWrongly(5);
    await guess(false, other);
    expect(tried.length).toBe(6);
  });
});

describe("an attempt that fails for another reason", () => {
  it("is neither counted nor resets the count", async () => {
    const refused = () =>
      throttle.attempt(address, async () => {
        throw new Error("nonce too low");
      });
    for (let i = 0; i < 10; i++) await expect(refused()).rejects.toThrowError("nonce too low");
    await guessWrongly(5);
    const late = expect(refused()).rejects.toThrowError("nonce too low");
    await runtime.advance(1000);
    await late;
    const next = guess(false);
    await next;
    expect(onFailure).toHaveBeenLastCalledWith(address, 6);
  });
});

describe("a caller that disconnects", () => {
  it("frees its place, and its attempt is never made", async () => {
    await guessWrongly(5);
    const left = new AbortController();
    const task = vi.fn();
    const attempts = Array.from({ length: 16 }, () => throttle.attempt(address, task, left.signal));
    await expect(throttle.attempt(address, task)).rejects.toMatchObject({ code: "KDF_BUSY" });
    left.abort();
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: "CALLER_GONE" });
    await expect(throttle.attempt(address, task, left.signal)).rejects.toMatchObject({ code: "CALLER_GONE" });
    expect(task).not.toHaveBeenCalled();
    const last = guess(true);
    await runtime.advance(1000);
    await last;
    expect(tried.length).toBe(6);
    expect(runtime.scheduled).toBe(0);
  });
});

describe("a caller that disconnects beside others", () => {
  it("takes no place of theirs, while it waits or after", async () => {
    await guessWrongly(5);
    const [waits, runs] = [new AbortController(), new AbortController()];
    let end = () => {};
    const running = throttle.attempt(
      address,
      () => new Promise<void>((resolve) => (end = resolve)),
      runs.signal,
    );
    const leaves = throttle.attempt(address, async () => {}, waits.signal);
    const stays = guess(false);
    expect(runtime.scheduled).toBe(1);
    waits.abort();
    await expect(leaves).rejects.toMatchObject({ code: "CALLER_GONE" });
    await runtime.advance(1000);
    runs.abort();
    end();
    await running;
    await stays;
    expect(tried.at(-1)).toBe(1000);
  });
});

describe("new keys", () => {
  it("are created immediately twenty times, and then delayed", async () => {
    const made: number[] = [];
    const making = new AttemptThrottle({ ...runtime, rule: accountCreations });
    const make = () => making.attempt("", async () => void made.push(runtime.clock.now() - START));
    const all = Array.from({ length: 23 }, make);
    await runtime.advance(7000);
    await Promise.all(all);
    expect(made.slice(0, 20).every((at) => at === 0)).toBe(true);
    expect(made.slice(20)).toEqual([1000, 3000, 7000]);
  });
});
