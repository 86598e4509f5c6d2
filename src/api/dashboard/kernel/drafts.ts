import type { DraftReport } from "../../rpc/spec/dashboard/desk-wire.ts";

const MAX_KEPT = 50;
let kept: readonly DraftReport[] = [];

/** Transactions collecting signatures in this page, newest first; kept in memory only, so closing the page forgets them. */
export function drafts(): readonly DraftReport[] {
  return kept;
}

/** Keeps a draft, replacing the version with other signatures. */
export function keepDraft(draft: DraftReport): readonly DraftReport[] {
  const isKnown = kept.some(({ signedHash }) => signedHash === draft.signedHash);
  kept = isKnown
    ? kept.map((one) => (one.signedHash === draft.signedHash ? draft : one))
    : [draft, ...kept].slice(0, MAX_KEPT);
  return kept;
}

/** Removes a draft. */
export function removeDraft({ signedHash }: DraftReport): readonly DraftReport[] {
  kept = kept.filter((one) => one.signedHash !== signedHash);
  return kept;
}
