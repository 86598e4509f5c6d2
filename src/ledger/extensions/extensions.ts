import type { Header } from "../../protocol/block/header.ts";
import type { Bls } from "../../protocol/crypto/bls.ts";
import type { ChainConfig } from "../../protocol/params/config.ts";
import type { Ancestry, BlockHooks } from "../chain/execute/consensus-rules.ts";
import { SidecarTable } from "../chain/tables/sidecar-table.ts";
import type { Evm } from "../evm/evm.ts";
import type { StateStore } from "../state/state.ts";
import { type ContractReader, createContractReader } from "./contracts/contract-reader.ts";
import { govParamOverlay } from "./governance/gov-param.ts";
import { GovernanceHistory } from "./governance/governance-history.ts";
import { GovernanceRules } from "./governance/governance-rules.ts";
import { BlsKeys } from "./randao/bls-keys.ts";
import { registryInstallHooks } from "./randao/registry-install.ts";
import { rewardHooks } from "./reward/reward-hooks.ts";
import { StakingHistory } from "./staking/staking-history.ts";
import { mainnetCreditHooks } from "./treasury/mainnet-credit.ts";
import { rebalanceHooks } from "./treasury/rebalance.ts";
import { CouncilHistory } from "./valset/council.ts";
import { ValidatorSets } from "./valset/validator-sets.ts";

/** Dependencies of the extensions. */
export interface ExtensionParts {
  readonly config: ChainConfig;
  /** Header of block 0. */
  readonly genesis: Header;
  readonly store: Pick<StateStore, "get" | "range" | "write">;
  readonly evm: Evm;
  /** Read only while blocks are processed. */
  readonly ancestry: Ancestry;
  /** Required if randao is, or will be, active. */
  readonly bls?: Bls | undefined;
}

/** The extensions of every Kaia chain. */
export interface Extensions {
  readonly contracts: ContractReader;
  /** Parameters of every block. */
  readonly params: GovernanceHistory;
  readonly governance: GovernanceRules;
  readonly staking: StakingHistory;
  readonly validators: ValidatorSets;
  /** Undefined without `bls`. */
  readonly blsKeys: BlsKeys | undefined;
  readonly sidecars: SidecarTable;
  /** All hooks, in the order in which blocks run them. */
  readonly hooks: readonly BlockHooks[];
}

/** Creates the extensions of a chain. */
export function createExtensions(parts: ExtensionParts): Extensions {
  const { config, genesis, store, ancestry, bls } = parts;
  const contracts = createContractReader(parts);
  const params = new GovernanceHistory({
    config,
    genesis,
    store,
    overlay: govParamOverlay({ ancestry, contracts }),
  });
  const council = new CouncilHistory({ genesis, params, store });
  const staking = new StakingHistory({ config, ancestry, store, contracts });
  const stakingAt = (number: bigint) => staking.at(number);
  const validators = new ValidatorSets({ config, params, council, ancestry, stakingAt });
  const governance = new GovernanceRules({
    history: params,
    ancestry,
    council: (number) => council.at(number),
  });
  const sidecars = new SidecarTable(store);
  const hooks: readonly BlockHooks[] = [
    params,
    council,
    staking,
    validators,
    governance,
    rewardHooks({ config, params, stakingAt }),
    rebalanceHooks({ config, ancestry, contracts }),
    registryInstallHooks(config),
    mainnetCreditHooks(config),
    sidecars,
  ];
  const blsKeys = bls && new BlsKeys({ config, ancestry, contracts, bls });
  return { contracts, params, governance, staking, validators, blsKeys, sidecars, hooks };
}
