/**
 * Files, by a part of their path, that `npm test` replays (`golden.ts --passing`): every namespace and transport, and the
 * differences of the older release. The others wait for too many blocks: `npm run test:golden` replays them all.
 */
export const passing: readonly string[] = [
  "kaia-2.2.1/chain.json",
  "kaia-2.2.1/debug",
  "kaia-2.2.1/limited.json",
  "kaia-2.2.1/net.json",
  "kaia-2.2.1/rpc.json",
  "kaia-2.2.1/transport",
  "kaia-2.2.1/txpool",
  "klaytn-1.12.1/chain.json",
  "klaytn-1.12.1/rpc.json",
  "klaytn-1.12.1/transport_ws.json",
];
