/** Version of the package, inserted by the build. */
export const VERSION: string = process.env["KAIRN_VERSION"] ?? "0.0.0-source";

/** The client name, as returned by `web3_clientVersion`. */
export function clientVersion(): string {
  return `kairn/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`;
}

/**
 * The same for a development chain, which supports anvil's methods. Hardhat's network helpers and other tools check for the prefix
 * `anvil` before they call them.
 */
export function devClientVersion(): string {
  return `anvil/${clientVersion()}`;
}
