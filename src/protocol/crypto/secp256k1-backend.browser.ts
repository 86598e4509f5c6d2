import * as noble from "@noble/curves/secp256k1.js";
import type { Secp256k1Backend } from "./secp256k1-interface.ts";
import { nobleBackend } from "./secp256k1-noble.ts";

/** The portable library; stands in for the Node version of this function in bundles for browsers. */
export function loadBackend(): Secp256k1Backend {
  return nobleBackend(noble);
}
