/** Why a candidate cannot be inserted any more: the tip or its state has changed under it. */
export const OVERTAKEN: ReadonlySet<string> = new Set(["UNKNOWN_ANCESTOR", "STALE_CANDIDATE"]);
