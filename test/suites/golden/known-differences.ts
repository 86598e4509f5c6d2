/** Cases, by file, whose responses differ from the recorded node's. docs/golden.md gives the reasons. */
export const knownDifferences: Readonly<Record<string, readonly string[]>> = {};
