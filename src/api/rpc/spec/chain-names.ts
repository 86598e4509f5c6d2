/** The names of the chain namespace that networks serve, the newer one first: Kaia's and Klaytn's. */
export const NETWORK_CHAIN_NAMES = ["kaia", "klay"] as const;

/** One of the names of the chain namespace on a network. */
export type NetworkChainName = (typeof NETWORK_CHAIN_NAMES)[number];

/** The names of the chain namespace: methods are declared under one, mounted as `chain`, and answer under all three. */
export const CHAIN_NAMES = ["chain", "klay", "kaia"] as const;

/** One of the names of the chain namespace. */
export type ChainName = (typeof CHAIN_NAMES)[number];

/** The name under which its methods are declared. */
export const DECLARED_CHAIN_NAME = "kaia" satisfies ChainName;

/** Whether a module is the chain namespace under one of its names. */
export function isChainName(module: string): boolean {
  return (CHAIN_NAMES as readonly string[]).includes(module);
}

/** The name under which the methods of a module are declared: the same for each name of the chain namespace. */
export function declaredModule(module: string): string {
  return isChainName(module) ? DECLARED_CHAIN_NAME : module;
}
