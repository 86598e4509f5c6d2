import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import type { BlobVerifier } from "../rules/blob-proofs.ts";

/** A verifier whose verdicts are given by the test, in the order of the requests. */
export class HeldVerifier implements BlobVerifier {
  readonly asked: BlobSidecar[] = [];
  readonly #answers: ((fault: Promise<string | undefined>) => void)[] = [];

  fault(sidecar: BlobSidecar): Promise<string | undefined> {
    this.asked.push(sidecar);
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  answer(fault: string | undefined | Error): void {
    this.#answers.shift()?.(fault instanceof Error ? Promise.reject(fault) : Promise.resolve(fault));
  }
}
