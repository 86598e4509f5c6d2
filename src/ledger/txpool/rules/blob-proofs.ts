import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import { MissingState } from "../../state/missing-state.ts";
import { TransactionPoolError } from "../errors.ts";

/** Verifies commitments and cell proofs of blobs in another thread. @see EIP-7594 */
export interface BlobVerifier {
  /**
   * What is wrong with a version 1 sidecar, as worded by the reference; undefined if its proofs are valid.
   * @throws NodeError if that cannot be determined: nothing unverified is accepted
   */
  fault(sidecar: BlobSidecar): Promise<string | undefined>;
}

/** Caches the verifier's verdicts for synchronous checks, which are retried once the verdict is known. */
export class BlobVerdicts {
  readonly #verifier: BlobVerifier | undefined;
  readonly #faults = new WeakMap<BlobSidecar, string | undefined>();

  /** @param verifier - absent = sidecars are refused */
  constructor(verifier: BlobVerifier | undefined) {
    this.#verifier = verifier;
  }

  /**
   * @throws MissingState until the verdict is known; TransactionPoolError `WRONG_SIDECAR` if the proofs are invalid,
   * `BLOB_UNVERIFIED` without a verifier
   */
  check(sidecar: BlobSidecar): void {
    const verifier = this.#verifier;
    if (verifier === undefined) {
      throw new TransactionPoolError(
        "BLOB_UNVERIFIED",
        "blob transactions are not accepted: this node cannot verify them",
      );
    }
    if (!this.#faults.has(sidecar)) {
      throw new MissingState("the verdict on a blob", async () => {
        this.#faults.set(sidecar, await verifier.fault(sidecar));
      });
    }
    const fault = this.#faults.get(sidecar);
    if (fault !== undefined) throw new TransactionPoolError("WRONG_SIDECAR", fault);
  }
}
