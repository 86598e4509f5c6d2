import { decodeIstanbulExtra } from "../../../protocol/block/istanbul-extra.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { objectAt, textAt } from "../../../protocol/params/config-json.ts";
import { genesisParams } from "../../../protocol/params/defaults.ts";
import { checkForkOrder, findIncompatibility } from "../../../protocol/params/fork-order.ts";
import { governanceJson } from "../../../protocol/params/parameter-json.ts";
import { PARAMETERS } from "../../../protocol/params/parameters.ts";
import { unacceptableSettings } from "../../../protocol/params/parse-config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { type Address, equalBytes, type Hash, isZeroBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { ChainError } from "../errors.ts";
import type { Genesis } from "./genesis.ts";

/**
 * The genesis as written by the `init` command: checked, and with governance data derived from its configuration,
 * overriding that of the file.
 * @throws ChainError `GENESIS_INVALID` with the reference's text
 */
export function initialGenesis(genesis: Genesis): Genesis {
  checkGenesis(genesis);
  return { ...genesis, governance: genesisGovernance(genesis.config) };
}

function checkGenesis({ config, extraData, number }: Genesis): void {
  if (config.json["chainId"] === undefined) throw invalid("chainID is not specified");
  if (number > 0n) throw invalid("can't commit genesis block with number > 0");
  const refused = unacceptableSettings(config.json).find(({ name }) => isChecked(name, config));
  if (refused !== undefined) throw invalid(`failed to add param ${refused.name}: invalid param value`);
  const validators = initialValidators(extraData);
  const { governanceMode, governingNode } = genesisParams(config);
  if (governanceMode !== "single") return;
  if (!validators.some((validator) => equalBytes(validator, governingNode))) {
    throw invalid("governingNode is not in the validator list");
  }
}

/** The reference writes a genesis whose extra data is not Istanbul's and cannot start with it; here it is refused. */
function initialValidators(extraData: Uint8Array): readonly Address[] {
  try {
    return decodeIstanbulExtra(extraData).validators;
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

/** The reference checks only parameters in force at block 0: KIP-71 from magma on, KIP-82 from kore on if it is set. */
function isChecked(name: string, config: ChainConfig): boolean {
  const { magma, kore } = rulesAt(config, 0n);
  if (name.startsWith("kip71.")) return magma;
  if (name === "governance.deriveshaimpl") return kore;
  return name !== "reward.kip82ratio" || (kore && hasKip82Ratio(config));
}

function hasKip82Ratio({ json }: ChainConfig): boolean {
  const reward = objectAt(objectAt(json, "governance") ?? {}, "reward") ?? {};
  return (textAt(reward, "kip82ratio") ?? "") !== "";
}

function invalid(reason: string): ChainError {
  return new ChainError("GENESIS_INVALID", reason);
}

/** Parameters written in every genesis. `governance.deriveshaimpl` came later, so it is not among them. */
const ALWAYS = /^governance\.(governancemode|governingnode|unitprice)$|^istanbul\.|^reward\.(?!kip82ratio$)/;

/** Governance data of block 0: `rlp(JSON text)` of the parameters known to the forks active at block 0. */
export function genesisGovernance(config: ChainConfig): Uint8Array {
  const written = PARAMETERS.filter(({ name }) => ALWAYS.test(name) || isWritten(name, config));
  return encodeItem(new TextEncoder().encode(governanceJson(genesisParams(config), written)));
}

function isWritten(name: string, config: ChainConfig): boolean {
  const { magma, kore } = rulesAt(config, 0n);
  const { params } = config;
  if (name.startsWith("kip71.")) return magma && params.gasTarget !== undefined;
  if (name === "governance.deriveshaimpl") return kore;
  if (name === "reward.kip82ratio") return kore && params.kip82Ratio !== undefined;
  if (name === "governance.govparamcontract") {
    return kore && params.govParamContract !== undefined && !isZeroBytes(params.govParamContract);
  }
  return false;
}

/**
 * Checks that the chain in a database may continue under a genesis and its configuration.
 * @param stored - the chain in the database; `head` is the number of its newest block
 * @throws ChainError `GENESIS_MISMATCH` or `CONFIG_MISMATCH`, ParamsError for forks out of order
 */
export function checkStoredGenesis(
  stored: { readonly hash: Hash; readonly config: ChainConfig; readonly head: bigint },
  wanted: { readonly hash: Hash; readonly config: ChainConfig },
): void {
  // The genesis hash does not cover the chain id. With another one, the senders of existing transactions could no longer
  // be recovered.
  if (stored.config.chainId !== wanted.config.chainId) {
    const text = `the database holds a chain with chain id ${stored.config.chainId}, not ${wanted.config.chainId}`;
    throw new ChainError("GENESIS_MISMATCH", text);
  }
  if (!equalBytes(stored.hash, wanted.hash)) {
    const [have, want] = [stored.hash, wanted.hash].map((hash) => bytesToHex(hash.subarray(0, 8)).slice(2));
    const reason = `database already contains an incompatible genesis block (have ${have}, new ${want})`;
    throw new ChainError("GENESIS_MISMATCH", reason);
  }
  checkForkOrder(wanted.config.forks);
  const conflict = findIncompatibility(stored.config.forks, wanted.config.forks, stored.head);
  if (conflict === undefined || stored.head === 0n || conflict.rewindTo === 0n) return;
  throw new ChainError("CONFIG_MISMATCH", conflict.error.message, { rewindTo: conflict.rewindTo });
}
