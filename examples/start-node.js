import { createNode } from "kairn";

/** Private keys of a development chain's first accounts: those of the mnemonic `test test … junk`. */
export const KEYS = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
];

/**
 * The node of KAIRN_URL and KAIRN_WS_URL, as `kairn dev` prints them; without these a development chain inside this
 * process, on free ports.
 */
export async function startNode() {
  const { KAIRN_URL, KAIRN_WS_URL } = process.env;
  if (KAIRN_URL) return { url: KAIRN_URL, wsUrl: KAIRN_WS_URL, stop: async () => {} };
  const node = await createNode({ http: { port: 0 }, ws: { port: 0 } });
  return { url: node.endpoints.http, wsUrl: node.endpoints.ws, stop: () => node.stop() };
}
