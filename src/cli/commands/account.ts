import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { accountOptions, dataOptions } from "../../node/options/index.ts";
import { option } from "../../platform/config/option.ts";
import { didYouMean } from "../../platform/config/suggest.ts";
import { oneOf } from "../../platform/config/types.ts";
import { naming } from "../../platform/intake/read-file.ts";
import { writeNewFile } from "../../platform/runtime/new-file.ts";
import { readBoundedText, SMALL_FILE_BYTES } from "../../platform/runtime/read-bounded.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { createLogger, LEVELS } from "../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { walletError } from "../../wallet/errors.ts";
import { parseKeyFile } from "../../wallet/keystore/key-file.ts";
import { createKeystore } from "../../wallet/keystore/keystore.ts";
import { Passphrase } from "../../wallet/passphrase.ts";
import { parseRawKey } from "../../wallet/raw-key.ts";
import type { AccountRef, Keystore, WalletAccount } from "../../wallet/wallet.ts";
import { accountOf } from "../account-argument.ts";
import { command, UsageError } from "../command.ts";
import { askNewSecret, askSecret } from "../prompt.ts";
import { readPassphrases } from "../service/unlock-at-start.ts";
import { defaultDataDir } from "../settings.ts";

const { dataDir, keystoreDir, lightKdf } = dataOptions;
const { passwordFile } = accountOptions;

const keyVersion = option({
  flag: "key-version",
  type: oneOf("3", "4"),
  default: "4",
  doc: "Version of an exported key file; 3 for wallets that support no other.",
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

/** Passphrases from the given file, else prompted for. */
interface Passphrases {
  current(): Promise<Passphrase>;
  fresh(): Promise<Passphrase>;
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
    run: async ({ keystore, passphrases }) => made(await keystore.newAccount(await passphrases.fresh())),
  },
  import: {
    usage: "import KEYFILE",
    async run({ keystore, args, passphrases }) {
      const file = args[0] as string;
      const text = readBoundedText(file, { maxBytes: SMALL_FILE_BYTES }).trim();
      if (text.startsWith("{")) {
        naming(file, () => parseKeyFile(text)); // report errors before asking for secrets
        const old = await passphrases.current();
        return made(await keystore.importKeyFile(text, old, await passphrases.fresh()));
      }
      const digits = text.replace(/^0x(?=[0-9a-fA-F]{64}$)/, "");
      const { privateKey, address } = naming(file, () => parseRawKey(digits));
      try {
        return made(await keystore.importKey(privateKey, await passphrases.fresh(), address));
      } finally {
        privateKey.fill(0);
      }
    },
  },
  update: {
    usage: "update ACCOUNT",
    async run({ keystore, args, passphrases }) {
      const account = knownAccount(args[0] as string, keystore, "account update");
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
      if (!existsSync(dirname(resolve(file)))) throw new UsageError(`there is no folder for ${file}`);
      const account = knownAccount(name, keystore, "account export");
      const old = await passphrases.current();
      const text = await keystore.exportKeyFile(account, old, await passphrases.fresh(), version);
      writeNewFile(file, text, 0o600);
      return `written to ${file}\n`;
    },
  },
};

export default command({
  usage: Object.values(ACTIONS)
    .map(({ usage }) => usage)
    .join(" | "),
  summary: "Lists, creates, imports, updates and exports accounts of the keystore.",
  options: { dataDir, keystoreDir, lightKdf, passwordFile, keyVersion },
  async run({ values, positionals, env, stdout, stderr }) {
    const [name = "", ...args] = positionals;
    const action = ACTIONS[name];
    if (!action || args.length !== action.usage.split(" ").length - 1) {
      const usages = action ? [action] : Object.values(ACTIONS);
      const hint = action || name === "" ? "" : didYouMean(name, Object.keys(ACTIONS));
      throw new UsageError(`usage: kairn account ${usages.map(({ usage }) => usage).join(" | ")}${hint}`);
    }
    const folder = resolve(values.dataDir ?? defaultDataDir("node", env));
    const dir = values.keystoreDir === undefined ? join(folder, "keystore") : resolve(values.keystoreDir);
    const { logger } = createLogger({
      verbosity: LEVELS.indexOf("warn"),
      format: "text",
      now: Date.now,
      write: (line) => void stderr.write(line),
    });
    const keystore = createKeystore({ ...systemRuntime, dir, light: values.lightKdf, logger });
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

/** The first line of the file unlocks, the last one encrypts. */
function passphrasesOf(file: string | undefined): Passphrases {
  if (file === undefined) {
    return {
      current: async () => new Passphrase(await askSecret("Passphrase: ")),
      fresh: async () => new Passphrase(await askNewSecret("New passphrase: ")),
    };
  }
  const lines = readPassphrases(file);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return {
    current: async () => new Passphrase(lines[0] as string),
    fresh: async () => new Passphrase(lines.at(-1) as string),
  };
}

/** An account in the keystore, resolved before its passphrase is prompted for. @throws WalletError `NO_KEY` */
function knownAccount(text: string, keystore: Keystore, where: string): AccountRef {
  const account = accountOf(text, keystore.accounts(), where);
  if (account instanceof Uint8Array && !keystore.has(account)) throw walletError("NO_KEY");
  return account;
}

function made({ address }: WalletAccount): string {
  return `Address: {${bytesToHex(address).slice(2)}}\n`;
}
