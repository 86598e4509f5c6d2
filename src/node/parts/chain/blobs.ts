import { createBlobVerification } from "../../workers/blob-verifier.ts";
import { part } from "../part.ts";

/** Verifies the proofs of blobs in a thread. */
export const blobs = part({
  name: "blob proofs",
  needs: {},
  start() {
    const offers = createBlobVerification();
    return { offers, stop: () => offers.close() };
  },
});
