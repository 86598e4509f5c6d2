import { addressOfPrivateKey } from "../../protocol/crypto/secp256k1.ts";
import type { ConfigJson } from "../../protocol/params/config-json.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { HARDENED, parseRootPath } from "../../wallet/derivation-path.ts";
import { checkMnemonic, derivePrivateKeys, mnemonicToSeed } from "../../wallet/hd.ts";
import type { DevChain, NodeOptions } from "../node-options.ts";
import { DEV_CHAIN_ID, devOptions, TEST_MNEMONIC } from "../options/dev/dev.ts";
import type { RemoteChain } from "./fork/open-fork.ts";
import { devGenesis } from "./genesis.ts";
import { type DevKeys, testKeysOf } from "./test-keys.ts";

/** The default development chain. */
export const DEV_CHAIN: DevChain = {
  chainId: DEV_CHAIN_ID,
  mnemonic: devOptions.mnemonic.default,
  accounts: devOptions.accounts.default,
  balance: devOptions.balance.default,
  derivationPath: devOptions.derivationPath.default,
};

/** The validator's key derives from the mnemonic too, so that equal options give an equal genesis. */
const VALIDATOR_PATH = [44 + HARDENED, 8217 + HARDENED, 1 + HARDENED, 0];

/**
 * The development chain that the options ask for, if any.
 * @param fork - what it forks from, whose chain id it adopts
 */
export function devChainOf(options: NodeOptions, fork?: Pick<RemoteChain, "point">): DevChain | undefined {
  if (!isDevChain(options)) return undefined;
  const { dev } = options;
  const { chainId } = fork?.point ?? DEV_CHAIN;
  return { ...DEV_CHAIN, chainId, ...(typeof dev === "object" ? dev : {}) };
}

function isDevChain({ dev, fork, genesis, dataDir }: NodeOptions): boolean {
  if (dev !== undefined) return dev !== false;
  return fork !== undefined || (genesis === undefined && dataDir === undefined);
}

/** A development chain with its keys. */
export interface DevSetup extends Omit<DevChain, "accounts"> {
  readonly accounts: readonly { readonly address: Address; readonly privateKey: Uint8Array }[];
  /** Key of the only validator, 32 bytes. */
  readonly validatorKey: Uint8Array;
  /** In the Kaia JSON form. */
  readonly genesis: ConfigJson;
}

/**
 * Derives keys and genesis of a development chain.
 * @throws WalletError for a wrong mnemonic or path
 */
export async function prepareDevChain(chain: DevChain): Promise<DevSetup> {
  const mnemonic = chain.mnemonic === TEST_MNEMONIC ? TEST_MNEMONIC : await checkMnemonic(chain.mnemonic);
  const keys = testKeysOf(chain) ?? deriveKeys(mnemonic, chain);
  const accounts = keys.accounts.map((privateKey) => ({
    privateKey,
    address: addressOfPrivateKey(privateKey),
  }));
  const genesis = devGenesis({
    chainId: chain.chainId,
    balance: chain.balance,
    baseFee: chain.baseFee,
    accounts: accounts.map(({ address }) => address),
    validator: addressOfPrivateKey(keys.validator),
  });
  return { ...chain, mnemonic, accounts, validatorKey: keys.validator, genesis };
}

function deriveKeys(mnemonic: string, { derivationPath, accounts }: DevChain): DevKeys {
  const seed = mnemonicToSeed(mnemonic);
  const root = parseRootPath(derivationPath);
  const [validator] = derivePrivateKeys(seed, VALIDATOR_PATH, 1) as [Uint8Array];
  return { accounts: derivePrivateKeys(seed, root, accounts), validator };
}
