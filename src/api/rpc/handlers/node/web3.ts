import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import type { Handlers } from "../../spec/method.ts";
import type { web3 } from "../../spec/node/web3.ts";

/** `web3_*`, and the same in the chain namespace. @param clientVersion `name/version/platform/runtime` */
export function web3Handlers(clientVersion: string): Handlers<typeof web3> {
  return {
    clientVersion: () => clientVersion,
    sha3: ({ data }) => keccak256(data),
  };
}
