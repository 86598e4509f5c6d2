/** Cases, by file, that answer otherwise than the recorded node. docs/golden.md gives the reason of each. */
export const knownDifferences: Readonly<Record<string, readonly string[]>> = {};
