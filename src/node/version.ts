/** Version of the package, inserted by the build. */
export const VERSION: string = process.env["KAIRN_VERSION"] ?? "0.0.0-source";

/** The client's name as `web3_clientVersion` answers it. */
export function clientVersion(): string {
  return `kairn/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`;
}

/**
 * The same for a development chain, which takes anvil's methods. Hardhat's network helpers and other tools check for
 * the prefix `anvil` before they send them.
 */
export function devClientVersion(): string {
  return `anvil/${clientVersion()}`;
}
