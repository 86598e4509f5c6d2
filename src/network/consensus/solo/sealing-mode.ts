/** When the only validator of a chain, or a development chain, seals blocks. */
export type SealingMode =
  /** As soon as there are executable transactions; "automine" to tools of Ethereum. */
  | { readonly kind: "onDemand" }
  /** Every `intervalMs`, even without transactions; with `onDemand` also as above. Public chains seal every 1000 ms. */
  | { readonly kind: "interval"; readonly intervalMs: number; readonly onDemand?: boolean }
  /** Only on request, by `evm_mine` and the like. */
  | { readonly kind: "manual" };
