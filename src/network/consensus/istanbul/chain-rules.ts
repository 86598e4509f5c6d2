import type { ChainRules } from "../../../ledger/chain/branch/chain-branch.ts";
import type { BlockHooks } from "../../../ledger/chain/execute/consensus-rules.ts";
import {
  createExtensions,
  type ExtensionParts,
  type Extensions,
} from "../../../ledger/extensions/extensions.ts";
import type { Clock } from "../../../platform/runtime/runtime.ts";
import { IstanbulRules } from "./istanbul-rules.ts";

/** Dependencies of the rules of a chain. */
export interface IstanbulChainParts extends ExtensionParts {
  readonly clock: Clock;
  /** BLS key of a validator, 32 bytes. */
  readonly blsKey?: Uint8Array | undefined;
  /** Run after the protocol's hooks. */
  readonly furtherHooks?: readonly BlockHooks[] | undefined;
}

/** The rules of a chain with the extensions that they are derived from. */
export interface IstanbulChainRules extends ChainRules {
  readonly extensions: Extensions;
  readonly consensus: IstanbulRules;
}

/** Creates the rules of a chain, or of a branch of it, over its rows and ancestors. */
export function createChainRules({
  clock,
  blsKey,
  furtherHooks = [],
  ...parts
}: IstanbulChainParts): IstanbulChainRules {
  const extensions = createExtensions(parts);
  const { params, validators, staking, blsKeys } = extensions;
  const hooks = [...extensions.hooks, ...furtherHooks];
  const { config, bls } = parts;
  const consensus = new IstanbulRules({
    ...{ config, params, validators, hooks, clock },
    stakingAt: (number) => staking.at(number),
    randao: bls && blsKeys && { bls, keys: blsKeys, ...(blsKey && { secretKey: blsKey }) },
  });
  return { extensions, params, hooks, consensus };
}
