import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { Passphrase, type PassphraseCaller } from "../passphrase.ts";
import type { DerivationLimits } from "./derivation-turns.ts";
import { createKeyDeriver, type KeyDerivation } from "./key-derivation.ts";

const how: KeyDerivation = { kdf: "scrypt", n: 2, r: 8, p: 1, dklen: 32, salt: new Uint8Array(32) };
const stranger: PassphraseCaller = { isLocal: false };

/** A deriver whose derivations end when the test calls `end`. */
function controlled(limits: Partial<DerivationLimits> = {}) {
  const running: { readonly secret: string; readonly end: () => void }[] = [];
  const deriver = createKeyDeriver(
    (secret) =>
      new Promise((resolve) =>
        running.push({ secret: Buffer.from(secret).toString(), end: () => resolve(new Uint8Array(32)) }),
      ),
    limits,
  );
  const derive = (text: string, caller?: PassphraseCaller) => {
    const key = deriver.derive(new Passphrase(text, caller), how);
    key.catch(() => {}); // some are awaited later
    return key;
  };
  const secrets = () => running.map(({ secret }) => secret);
  return { running, derive, secrets };
}

describe("key derivations", () => {
  it("run two at once, and the others in order of arrival", async () => {
    const { running, derive, secrets } = controlled();
    const keys = ["a", "b", "c", "d"].map((text) => derive(text));
    await expect.poll(secrets).toEqual(["a", "b"]);
    running[1]?.end();
    await keys[1];
    await expect.poll(secrets).toEqual(["a", "b", "c"]);
    for (const i of [0, 2]) running[i]?.end();
    await expect.poll(secrets).toEqual(["a", "b", "c", "d"]);
    running[3]?.end();
    await Promise.all(keys);
  });

  it("are rejected when too many wait, and accepted again when those are done", async () => {
    const { running, derive, secrets } = controlled();
    const keys = Array.from({ length: 258 }, () => derive(""));
    await expect(derive("")).rejects.toMatchObject({ code: "KDF_BUSY" });
    for (let i = 0; i < keys.length; i++) {
      await expect.poll(() => secrets().length).toBeGreaterThan(i);
      running[i]?.end();
    }
    await Promise.all(keys);
    const next = derive("");
    await expect.poll(() => secrets().length).toBe(259);
    running[258]?.end();
    await expect(next).resolves.toHaveLength(32);
  });

  it("free their place when they fail", async () => {
    let calls = 0;
    const deriver = createKeyDeriver(async () => {
      calls++;
      throw new Error("out of memory");
    });
    await Promise.allSettled(Array.from({ length: 5 }, () => deriver.derive(new Passphrase(""), how)));
    expect(calls).toBe(5);
  });
});

describe("callers over the network", () => {
  it("take one place of two, so that the owner's derivation starts immediately", async () => {
    const { running, derive, secrets } = controlled();
    const theirs = Array.from({ length: 17 }, (_, i) => derive(`s${i}`, { ...stranger, client: {} }));
    await expect(derive("one too many", stranger)).rejects.toMatchObject({
      code: "KDF_BUSY",
      message: "busy: too many passphrases are being checked",
    });
    const own = ["owner", "owner too"].map((text) => derive(text));
    await expect.poll(secrets).toEqual(["s0", "owner"]);
    running[0]?.end();
    await theirs[0];
    await expect.poll(secrets).toEqual(["s0", "owner", "owner too"]); // the owner's come first
    for (const i of [1, 2]) running[i]?.end();
    await Promise.all(own);
    await expect.poll(secrets).toEqual(["s0", "owner", "owner too", "s1"]);
  });

  it("are as many as --kdf.concurrent and --kdf.queue allow", async () => {
    const { derive, secrets } = controlled({ concurrent: 3, waiting: 3 });
    const mine = { ...stranger, client: {} };
    const [, , , fourth] = ["a", "b", "c", "d"].map((text) => derive(text, mine));
    await expect(derive("e", mine)).rejects.toMatchObject({ code: "KDF_BUSY" }); // half of the queue, rounded up
    for (const text of ["f", "g"]) void derive(text, { ...stranger, client: {} });
    await expect(fourth).rejects.toMatchObject({ code: "KDF_BUSY" }); // gave its place to another client
    void derive("owner");
    await expect.poll(secrets).toEqual(["a", "b", "owner"]);
    const none = controlled({ waiting: 0 });
    void none.derive("a", stranger);
    await expect(none.derive("b", stranger)).rejects.toMatchObject({ code: "KDF_BUSY" });
  });

  it("take turns by connection, none of which can take all places", async () => {
    const { running, derive, secrets } = controlled();
    const greedy = { ...stranger, client: {} };
    const many = Array.from({ length: 9 }, (_, i) => derive(`g${i}`, greedy));
    await expect(derive("one too many", greedy)).rejects.toMatchObject({ code: "KDF_BUSY" });
    many.push(derive("another's", { ...stranger, client: {} }));
    for (let i = 0; i < many.length; i++) {
      await expect.poll(() => secrets().length).toBeGreaterThan(i);
      running[i]?.end();
    }
    await Promise.all(many);
    expect(secrets().slice(0, 3)).toEqual(["g0", "g1", "another's"]);
  });

  it("free their place when they disconnect", async () => {
    const { running, derive, secrets } = controlled();
    const left = new AbortController();
    setMaxListeners(0, left.signal);
    const first = derive("first", stranger);
    const leaving = Array.from({ length: 16 }, () =>
      derive("left", { isLocal: false, signal: left.signal, client: {} }),
    );
    await expect(derive("late", stranger)).rejects.toMatchObject({ code: "KDF_BUSY" });
    left.abort();
    for (const key of leaving) await expect(key).rejects.toMatchObject({ code: "CALLER_GONE" });
    const last = derive("last", stranger);
    running[0]?.end();
    await first;
    await expect.poll(secrets).toEqual(["first", "last"]);
    running[1]?.end();
    await last;
  });

  it("queue only once for all keys of an account", async () => {
    const running: (() => void)[] = [];
    const deriver = createKeyDeriver(
      () => new Promise((resolve) => running.push(() => resolve(new Uint8Array(32)))),
    );
    const many = new Passphrase("", stranger);
    const first = deriver.derive(many, how);
    await expect.poll(() => running.length).toBe(1);
    running[0]?.();
    await first;
    const others = Array.from({ length: 17 }, () =>
      deriver.derive(new Passphrase("", { ...stranger, client: {} }), how),
    );
    const second = deriver.derive(many, how);
    for (let i = 1; i <= 18; i++) {
      await expect.poll(() => running.length).toBeGreaterThan(i);
      running[i]?.();
    }
    await Promise.all([...others, second]);
  });
});

describe("the parameters of a key file", () => {
  const salt = new Uint8Array(32);
  const scrypt = { kdf: "scrypt", n: 4096, r: 8, p: 6, dklen: 32, salt } as const;
  const pbkdf2 = { kdf: "pbkdf2", c: 10_240, dklen: 32, salt } as const;
  const deriver = createKeyDeriver(async () => new Uint8Array(32));
  const derive = (params: object) =>
    deriver.derive(new Passphrase(""), { ...scrypt, ...params } as KeyDerivation);

  it.each([
    ["the standard cost", { n: 2 ** 18, p: 1 }],
    ["the light cost", {}],
    ["a gigabyte", { n: 2 ** 20, p: 1 }],
    ["old files with a small r", { n: 2 ** 18, r: 1, p: 8 }],
    ["pbkdf2", { ...pbkdf2, c: 262_144 }],
  ])("may be %s", async (_, params) => {
    await expect(derive(params)).resolves.toHaveLength(32);
  });

  it.each([
    ["n = 2^24", { n: 2 ** 24 }],
    ["n = 0", { n: 0 }],
    ["n = 1", { n: 1 }],
    ["n no power of two", { n: 1000 }],
    ["n negative", { n: -4096 }],
    ["n not finite", { n: Number.POSITIVE_INFINITY }],
    ["r = 0", { r: 0 }],
    ["r negative", { r: -8 }],
    ["r and p negative", { r: -8, p: -6 }],
    ["r no number", { r: Number.NaN }],
    ["p = 0", { p: 0 }],
    ["p negative", { p: -1 }],
    ["128·r·p over a gigabyte", { n: 2, r: 2 ** 13, p: 2 ** 11 }],
    ["128·r·n over a gigabyte", { n: 2 ** 12, r: 2 ** 12, p: 1 }],
    ["hours of computation", { n: 2 ** 20, p: 64 }],
    ["hours of computation on the main thread", { n: 2 ** 22, r: 1, p: 2 }],
    ["no key", { dklen: 0 }],
    ["a key of megabytes", { dklen: 2 ** 20 }],
    ["a salt of megabytes", { salt: new Uint8Array(2 ** 20) }],
    ["no rounds", { ...pbkdf2, c: 0 }],
    ["excessive rounds", { ...pbkdf2, c: 2 ** 31 }],
  ])("may not be %s, which is rejected without derivation", async (_, params) => {
    await expect(derive(params)).rejects.toMatchObject({ code: "KDF_LIMIT" });
  });
});

describe("the cost of a derivation", () => {
  /** Whether a derivation is started; it is not executed. */
  const isBegun = async (change: Partial<KeyDerivation>) => {
    let begun = 0;
    const deriver = createKeyDeriver(async () => {
      begun++;
      return new Uint8Array(32);
    });
    const changed = { ...how, ...change } as KeyDerivation;
    const code = await deriver.derive(new Passphrase("x"), changed).then(
      () => undefined,
      (error) => error.code,
    );
    expect(code).toBe(begun === 1 ? undefined : "KDF_LIMIT");
    return begun === 1;
  };
  const pbkdf2 = { kdf: "pbkdf2", c: 1 } as const;

  it.each<[what: string, limit: Partial<KeyDerivation>, above: Partial<KeyDerivation>]>([
    ["2^26 of scrypt's n·r·p", { n: 2 ** 20, r: 8, p: 8 }, { n: 2 ** 20, r: 8, p: 9 }],
    ["scrypt of 1 GiB, 1 MiB of blocks", { n: 2, r: 1, p: 8_396_798 }, { n: 2, r: 1, p: 8_396_799 }],
    ["2^22 if OpenSSL rejects n with r", { n: 2 ** 16, r: 1, p: 64 }, { n: 2 ** 16, r: 1, p: 65 }],
    ["2^26 if it accepts n with r", { n: 2 ** 15, r: 1, p: 2048 }, { n: 2 ** 15, r: 1, p: 2049 }],
    ["2^24 rounds", { ...pbkdf2, c: 2 ** 24 }, { ...pbkdf2, c: 2 ** 24 + 1 }],
    ["a key of 1024 bytes", { dklen: 1024 }, { dklen: 1025 }],
    ["a salt of 1024 bytes", { salt: new Uint8Array(1024) }, { salt: new Uint8Array(1025) }],
  ])("is at most %s", async (_, limit, above) => {
    expect([await isBegun(limit), await isBegun(above)]).toEqual([true, false]);
  });

  it.each<[what: string, least: Partial<KeyDerivation>, below: Partial<KeyDerivation>]>([
    ["n of 2", { n: 2 }, { n: 1 }],
    ["r of 1", { r: 1 }, { r: 0 }],
    ["p of 1", { p: 1 }, { p: 0 }],
    ["one round", pbkdf2, { ...pbkdf2, c: 0 }],
    ["a key of 32 bytes", { dklen: 32 }, { dklen: 31 }],
  ])("is at least %s", async (_, least, below) => {
    expect([await isBegun(least), await isBegun(below)]).toEqual([true, false]);
  });
});
