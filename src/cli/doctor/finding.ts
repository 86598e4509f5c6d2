/** One check and its result. */
export interface Finding {
  /** `bad` keeps a node from running well, `doubtful` may. */
  readonly state: "good" | "doubtful" | "bad";
  readonly about: string;
  /** What is so. */
  readonly text: string;
  /** What to do about it; absent where nothing is to be done. */
  readonly advice?: string;
}

/** All is well. */
export function good(about: string, text: string): Finding {
  return { state: "good", about, text };
}

/** It may be a problem. */
export function doubtful(about: string, text: string, advice: string): Finding {
  return { state: "doubtful", about, text, advice };
}

/** It is a problem. */
export function bad(about: string, text: string, advice: string): Finding {
  return { state: "bad", about, text, advice };
}
