/** The names of the chain namespace: methods are declared as `kaia`, mounted as `chain`, and answer under all three. */
export const CHAIN_NAMES = ["chain", "klay", "kaia"] as const;

/** Whether a module is the chain namespace under one of its names. */
export function isChainName(module: string): boolean {
  return (CHAIN_NAMES as readonly string[]).includes(module);
}
