import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import type { BlobVerifier } from "../rules/blob-proofs.ts";

/** A verifier whose results are given by the test, in the order of the requests. */
export class ManualVerifier implements BlobVerifier {
  readonly requests: BlobSidecar[] = [];
  readonly #resolvers: ((fault: Promise<string | undefined>) => void)[] = [];

  fault(sidecar: BlobSidecar): Promise<string | undefined> {
    this.requests.push(sidecar);
    return new Promise((resolve) => this.#resolvers.push(resolve));
  }

  /** Finishes the oldest request. @param fault - what is wrong; undefined = valid */
  finish(fault: string | undefined | Error): void {
    this.#resolvers.shift()?.(fault instanceof Error ? Promise.reject(fault) : Promise.resolve(fault));
  }
}
