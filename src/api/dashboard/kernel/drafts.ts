import type { DraftReport } from "../../rpc/spec/dashboard/desk-wire.ts";

const MOST_KEPT = 50;
let kept: readonly DraftReport[] = [];

/** Transactions that collect signatures in this page, newest first: in its memory alone, so closing it forgets them. */
export function drafts(): readonly DraftReport[] {
  return kept;
}

/** Keeps one, in the place of the copy that had other signatures. */
export function keepDraft(draft: DraftReport): readonly DraftReport[] {
  const isKnown = kept.some(({ signedHash }) => signedHash === draft.signedHash);
  kept = isKnown
    ? kept.map((one) => (one.signedHash === draft.signedHash ? draft : one))
    : [draft, ...kept].slice(0, MOST_KEPT);
  return kept;
}

/** Forgets one. */
export function removeDraft({ signedHash }: DraftReport): readonly DraftReport[] {
  kept = kept.filter((one) => one.signedHash !== signedHash);
  return kept;
}
