import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { checkUnlockAtStart } from "../../node/exposure.ts";
import { nodeOptions } from "../../node/options/index.ts";
import { ConfigError } from "../../platform/config/types.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import type { AccountRef, WalletAccount } from "../../wallet/wallet.ts";
import { command } from "../command.ts";
import { runNode } from "../run-node.ts";
import { defaultDataDir, networkOf, toNodeOptions } from "../settings.ts";

export default command({
  usage: "",
  summary: "Runs a node on the chain of a data folder.",
  options: nodeOptions,
  async run(invocation) {
    const { values, env, stdout } = invocation;
    const network = networkOf(values);
    const dataDir = resolve(values.dataDir ?? defaultDataDir(network ?? "node", env));
    const passphrases = readPassphrases(values.passwordFile);
    const options = { ...toNodeOptions(values, dataDir), dev: false, ...(network && { network }) };
    if (values.unlock.length > 0) checkUnlockAtStart(options);
    return runNode(options, values, invocation, async (node) => {
      for (const [i, text] of values.unlock.entries()) {
        const passphrase = passphrases[Math.min(i, passphrases.length - 1)] ?? "";
        await node.wallets.unlock(accountOf(text, node.wallets.accounts()), passphrase, 0);
      }
      const { chain, endpoints } = node;
      const listening = Object.values(endpoints).join(", ") || "nothing but this process";
      stdout.write(
        `kairn: chain ${chain.config.chainId}, block ${chain.head.header.number}, listening on ${listening}\n`,
      );
    });
  },
});

function readPassphrases(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `--password: ${(cause as Error).message}`);
  }
}

/** An account by its address or its place in the list, as the reference's `--unlock` takes it. */
function accountOf(text: string, accounts: readonly WalletAccount[]): AccountRef {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(`0x${text.replace(/^0x/, "")}`);
  const account = /^[0-9]+$/.test(text) ? accounts[Number(text)] : undefined;
  if (account === undefined) {
    const known = accounts.map(({ address }) => bytesToHex(address)).join(", ") || "none";
    throw new ConfigError("CONFIG_VALUE", `--unlock: no account ${text} (key store: ${known})`);
  }
  return account;
}
