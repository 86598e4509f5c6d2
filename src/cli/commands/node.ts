import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { checkUnlockAtStart } from "../../node/exposure.ts";
import { nodeOptions } from "../../node/options/index.ts";
import { ConfigError } from "../../platform/config/types.ts";
import type { Keystore } from "../../wallet/wallet.ts";
import { accountOf } from "../account-argument.ts";
import { command } from "../command.ts";
import { askSecret } from "../prompt.ts";
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
    const options = { ...toNodeOptions(values, dataDir), dev: false, ...(network && { network }) };
    if (values.unlock.length > 0) checkUnlockAtStart(options);
    const passphrases = await passphrasesFor(values.unlock, values.passwordFile);
    return runNode(options, values, invocation, async (node) => {
      for (const [i, text] of values.unlock.entries())
        await unlock(text, passphrases[Math.min(i, passphrases.length - 1)] ?? "", node.wallets);
      const { chain, endpoints } = node;
      const listening = Object.values(endpoints).join(", ") || "nothing but this process";
      stdout.write(
        `kairn: chain ${chain.config.chainId}, block ${chain.head.header.number}, listening on ${listening}\n`,
      );
    });
  },
});

async function unlock(text: string, passphrase: string, wallets: Keystore): Promise<void> {
  const account = accountOf(text, wallets.accounts(), "--unlock");
  try {
    await wallets.unlock(account, passphrase, 0);
  } catch (cause) {
    throw new ConfigError("CONFIG_VALUE", `--unlock ${text}: ${(cause as Error).message}`, {}, { cause });
  }
}

/** Lines of the file, else what is typed for each account. */
async function passphrasesFor(
  accounts: readonly string[],
  file: string | undefined,
): Promise<readonly string[]> {
  if (file !== undefined) return readPassphrases(file);
  const passphrases: string[] = [];
  for (const account of accounts) passphrases.push(await askSecret(`Passphrase to unlock ${account}: `));
  return passphrases;
}

function readPassphrases(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `--password: ${(cause as Error).message}`);
  }
}
