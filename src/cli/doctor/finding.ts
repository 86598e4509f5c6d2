/** One check and its result. */
export interface Finding {
  /** `bad` keeps a node from running well, `doubtful` may. */
  readonly state: "good" | "doubtful" | "bad";
  readonly about: string;
  /** The result. */
  readonly text: string;
  /** What to do about it; absent if there is nothing to do. */
  readonly advice?: string;
}

/** A good finding. */
export function good(about: string, text: string): Finding {
  return { state: "good", about, text };
}

/** A possible problem. */
export function doubtful(about: string, text: string, advice: string): Finding {
  return { state: "doubtful", about, text, advice };
}

/** A problem. */
export function bad(about: string, text: string, advice: string): Finding {
  return { state: "bad", about, text, advice };
}
