/** When blocks are sealed. */
export type SealingMode =
  /** As soon as there are executable transactions. */
  | { readonly kind: "onDemand" }
  /**
   * At an interval, even without transactions; with `onDemand` also as above. Public chains seal every 1000 ms.
   */
  | { readonly kind: "interval"; readonly intervalMs: number; readonly onDemand?: boolean }
  /** Only on request. */
  | { readonly kind: "manual" };
