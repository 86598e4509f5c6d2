import { TransactionPoolError } from "../../ledger/txpool/errors.ts";
import type { BlobVerifier } from "../../ledger/txpool/rules/blob-proofs.ts";
import { PendingWaits } from "../../platform/runtime/pending-waits.ts";
import { type BlobVerdict, blobPayload, createBlobChecker } from "./blob-checker.ts";
import { WorkerThread, workerScript } from "./worker-thread.ts";

/** Maximum queued sidecars of a node: 10 s of work, 35 MB. */
const MAX_WAITING = 256;

/** Verifies payloads of `blobPayload` sequentially in another thread. */
export interface BlobThread {
  judge(payload: Uint8Array): Promise<BlobVerdict>;
  close(): Promise<void>;
}

/** A verifier that can be closed. */
export interface BlobVerification extends BlobVerifier {
  /** Rejects queued sidecars. May be called twice. */
  close(): Promise<void>;
}

/** The nodes of a process share one thread and its tables. */
const leaseProcessThread = shareThread(createBlobThread);

/** Creates the verifier of a node; the first sidecar starts the thread. */
export function createBlobVerification(lease: () => BlobThread = leaseProcessThread): BlobVerification {
  let thread: BlobThread | undefined;
  let waiting = 0;
  const waits = new PendingWaits();
  let isClosed = false;
  return {
    async fault(sidecar) {
      if (isClosed) throw stopping();
      if (waiting >= MAX_WAITING) throw unverified("busy: too many blobs wait to be verified");
      waiting++;
      try {
        thread ??= lease();
        return faultIn(await waits.unlessFailed(thread.judge(blobPayload(sidecar))));
      } finally {
        waiting--;
      }
    },
    async close() {
      isClosed = true;
      waits.fail(stopping());
      const leased = thread;
      thread = undefined;
      await leased?.close();
    },
  };
}

/** Shares a reference-counted thread: created with the first lease, closed with the last. */
export function shareThread(create: () => BlobThread): () => BlobThread {
  let shared: BlobThread | undefined;
  let leases = 0;
  return () => {
    shared ??= create();
    leases++;
    const thread = shared;
    return {
      judge: (payload) => thread.judge(payload),
      async close() {
        if (--leases > 0) return;
        shared = undefined;
        await thread.close();
      },
    };
  };
}

/** Without a built worker, when run from source, verifies in this thread. */
function createBlobThread(): BlobThread {
  const script = workerScript("blob-worker.js");
  if (script === undefined) {
    const check = createBlobChecker();
    return { judge: async (payload) => check(payload), close: async () => undefined };
  }
  const thread = new WorkerThread<BlobVerdict>(script);
  return { judge: (payload) => thread.ask(payload), close: () => thread.close() };
}

function faultIn({ fault, unknown }: BlobVerdict): string | undefined {
  if (unknown === undefined) return fault;
  const reason = `@crate-crypto/node-eth-kzg cannot be loaded (${unknown})`;
  throw unverified(`blob transactions are not taken: ${reason}`);
}

function stopping(): TransactionPoolError {
  return unverified("the node is stopping");
}

function unverified(text: string): TransactionPoolError {
  return new TransactionPoolError("BLOB_UNVERIFIED", text);
}
