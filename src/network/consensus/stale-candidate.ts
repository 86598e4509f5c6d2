/** Error codes of a candidate that is stale because the tip or its state has changed. */
export const STALE_CANDIDATE_CODES: ReadonlySet<string> = new Set(["UNKNOWN_ANCESTOR", "STALE_CANDIDATE"]);
