import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { accountOptions, dataOptions } from "../../node/options/index.ts";
import { option } from "../../platform/config/option.ts";
import { didYouMean } from "../../platform/config/suggest.ts";
import { oneOf } from "../../platform/config/types.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { createKeystore } from "../../wallet/keystore/keystore.ts";
import { parseRawKey } from "../../wallet/raw-key.ts";
import type { Keystore } from "../../wallet/wallet.ts";
import { accountOf } from "../account-argument.ts";
import { command, UsageError } from "../command.ts";
import { askNewSecret, askSecret } from "../prompt.ts";
import { defaultDataDir } from "../settings.ts";
import { readPassphrases } from "../unlock-at-start.ts";

const { dataDir, keystoreDir, lightKdf } = dataOptions;
const { passwordFile } = accountOptions;

const keyVersion = option({
  flag: "key-version",
  type: oneOf("3", "4"),
  default: "4",
  doc: "Version of an exported key file; 3 for wallets that know no other.",
});

interface Action {
  readonly usage: string;
  /** @returns what to print */
  run(parts: {
    readonly keystore: Keystore;
    readonly args: readonly string[];
    readonly passphrases: Passphrases;
    /** Of exported key files. */
    readonly version: 3 | 4;
  }): Promise<string>;
}

/** Passphrases from the file given, else asked for. */
interface Passphrases {
  current(): Promise<string>;
  fresh(): Promise<string>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: {
    usage: "list",
    run: async ({ keystore }) =>
      keystore
        .accounts()
        .map(({ address, url }, i) => `Account #${i}: {${bytesToHex(address).slice(2)}} ${url}\n`)
        .join(""),
  },
  new: {
    usage: "new",
    async run({ keystore, passphrases }) {
      const { address } = await keystore.newAccount(await passphrases.fresh());
      return `Address: {${bytesToHex(address).slice(2)}}\n`;
    },
  },
  import: {
    usage: "import KEYFILE",
    async run({ keystore, args, passphrases }) {
      const text = readFileSync(args[0] as string, "utf8").trim();
      const passphrase = await passphrases.fresh();
      if (text.startsWith("{")) {
        const old = await passphrases.current();
        return imported((await keystore.importKeyFile(text, old, passphrase)).address);
      }
      const { privateKey, address } = parseRawKey(text.replace(/^0x(?=[0-9a-fA-F]{64}$)/, ""));
      return imported((await keystore.importKey(privateKey, passphrase, address)).address);
    },
  },
  update: {
    usage: "update ACCOUNT",
    async run({ keystore, args, passphrases }) {
      const account = accountOf(args[0] as string, keystore.accounts(), "account update");
      const old = await passphrases.current();
      await keystore.changePassphrase(account, old, await passphrases.fresh());
      return "";
    },
  },
  export: {
    usage: "export ACCOUNT FILE",
    async run({ keystore, args, passphrases, version }) {
      const [name, file] = args as [string, string];
      if (existsSync(file)) throw new UsageError(`${file} exists already: account export writes a new file`);
      const account = accountOf(name, keystore.accounts(), "account export");
      const old = await passphrases.current();
      const text = await keystore.exportKeyFile(account, old, await passphrases.fresh(), version);
      writeFileSync(file, text, { mode: 0o600, flag: "wx" });
      return `written to ${file}\n`;
    },
  },
};

export default command({
  usage: Object.values(ACTIONS)
    .map(({ usage }) => usage)
    .join(" | "),
  summary: "Lists, makes, imports, updates and exports accounts of the key store.",
  options: { dataDir, keystoreDir, lightKdf, passwordFile, keyVersion },
  async run({ values, positionals, env, stdout }) {
    const [name = "", ...args] = positionals;
    const action = ACTIONS[name];
    if (!action || args.length !== action.usage.split(" ").length - 1) {
      const usages = action ? [action] : Object.values(ACTIONS);
      const hint = action || name === "" ? "" : didYouMean(name, Object.keys(ACTIONS));
      throw new UsageError(`usage: kairn account ${usages.map(({ usage }) => usage).join(" | ")}${hint}`);
    }
    const folder = resolve(values.dataDir ?? defaultDataDir("node", env));
    const dir = values.keystoreDir === undefined ? join(folder, "keystore") : resolve(values.keystoreDir);
    const keystore = createKeystore({ ...systemRuntime, dir, light: values.lightKdf });
    try {
      const version = values.keyVersion === "3" ? 3 : 4;
      const passphrases = passphrasesOf(values.passwordFile);
      stdout.write(await action.run({ keystore, args, passphrases, version }));
      return 0;
    } finally {
      await keystore.close();
    }
  },
});

/** The first line of the file unlocks, the last one encrypts anew. */
function passphrasesOf(file: string | undefined): Passphrases {
  if (file === undefined) {
    return { current: () => askSecret("Passphrase: "), fresh: () => askNewSecret("New passphrase: ") };
  }
  const lines = readPassphrases(file);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return { current: async () => lines[0] as string, fresh: async () => lines.at(-1) as string };
}

function imported(address: Address): string {
  return `Address: {${bytesToHex(address).slice(2)}}\n`;
}
