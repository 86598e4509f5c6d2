import { describe, expect, it } from "vitest";
import { SIDECAR } from "../testing/blobs.ts";
import type { BlobVerdict } from "./blob-checker.ts";
import { createBlobChecker } from "./blob-checker.ts";
import { type BlobThread, createBlobVerification, shareThread } from "./blob-verifier.ts";

/** A thread whose results the test provides. */
class HeldThread implements BlobThread {
  closed = false;
  readonly payloads: Uint8Array[] = [];
  readonly #answers: ((verdict: BlobVerdict) => void)[] = [];

  judge(payload: Uint8Array): Promise<BlobVerdict> {
    this.payloads.push(payload);
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  answerAll(verdict: BlobVerdict): void {
    for (const answer of this.#answers.splice(0)) answer(verdict);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

describe("the verifier of a node", () => {
  it("returns the thread's result", async () => {
    const thread = new HeldThread();
    const verifier = createBlobVerification(() => thread);
    const wrong = verifier.fault(SIDECAR);
    thread.answerAll({ fault: "can't verify opening proof" });
    expect(await wrong).toBe("can't verify opening proof");
    const right = verifier.fault(SIDECAR);
    thread.answerAll({});
    expect(await right).toBeUndefined();
    expect(thread.payloads.map(({ length }) => length)).toEqual([137_264, 137_264]);
  });

  it("starts no thread once it is closed", async () => {
    let leases = 0;
    const verifier = createBlobVerification(() => {
      leases++;
      return new HeldThread();
    });
    await verifier.close();
    await expect(verifier.fault(SIDECAR)).rejects.toThrow("the node is stopping");
    expect(leases).toBe(0);
  });

  it("reports the package that cannot be loaded", async () => {
    const checker = createBlobChecker(() => {
      throw new Error("Cannot find module '@crate-crypto/node-eth-kzg-linux-x64-musl'\nRequire stack: ...");
    });
    const judge = async (payload: Uint8Array) => checker(payload);
    const verifier = createBlobVerification(() => ({ judge, close: async () => undefined }));
    await expect(verifier.fault(SIDECAR)).rejects.toMatchObject({
      code: "BLOB_UNVERIFIED",
      message:
        "blob transactions are not taken: @crate-crypto/node-eth-kzg cannot be loaded (Cannot find module " +
        "'@crate-crypto/node-eth-kzg-linux-x64-musl')",
    });
  });

  it("fails queued jobs when the node stops", async () => {
    const thread = new HeldThread();
    const verifier = createBlobVerification(() => thread);
    const waiting = verifier.fault(SIDECAR);
    await verifier.close();
    await verifier.close();
    await expect(waiting).rejects.toMatchObject({ code: "BLOB_UNVERIFIED" });
    expect(thread.closed).toBe(true);
  });

  it("limits queued jobs", async () => {
    const thread = new HeldThread();
    const verifier = createBlobVerification(() => thread);
    const waiting = Array.from({ length: 256 }, () => verifier.fault(SIDECAR));
    await expect(verifier.fault(SIDECAR)).rejects.toThrow("busy: too many blobs");
    thread.answerAll({});
    expect(await Promise.all(waiting)).toHaveLength(256);
    const next = verifier.fault(SIDECAR);
    thread.answerAll({});
    expect(await next).toBeUndefined();
  });
});

describe("a shared thread", () => {
  it("starts with its first user and stops with its last", async () => {
    const made: HeldThread[] = [];
    const lease = shareThread(() => {
      const thread = new HeldThread();
      made.push(thread);
      return thread;
    });
    const nodes = Array.from({ length: 3 }, () => createBlobVerification(lease));
    expect(made).toHaveLength(0);
    const verdicts = nodes.map((node) => node.fault(SIDECAR));
    made[0]?.answerAll({});
    await Promise.all(verdicts);
    await nodes[0]?.close();
    await nodes[1]?.close();
    expect(made.map(({ closed }) => closed)).toEqual([false]);
    await nodes[2]?.close();
    expect(made.map(({ closed }) => closed)).toEqual([true]);

    const later = createBlobVerification(lease);
    const verdict = later.fault(SIDECAR);
    made[1]?.answerAll({});
    await verdict;
    expect(made).toHaveLength(2);
    await later.close();
  });

  it("is not started by a node that sees no blob", async () => {
    const verifier = createBlobVerification(() => {
      throw new Error("asked for");
    });
    await verifier.close();
  });
});
