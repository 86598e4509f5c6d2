import type { ChainConfig } from "./config.ts";
import type { ConfigJson } from "./config-json.ts";
import { parseChainConfig } from "./parse-config.ts";

/** A public network whose configuration and genesis are built in. */
export type PublicNetwork = "mainnet" | "kairos";

const CONFIGS: Readonly<Record<PublicNetwork, ConfigJson>> = {
  mainnet: {
    chainId: 8217,
    istanbulCompatibleBlock: 86_816_005,
    londonCompatibleBlock: 86_816_005,
    ethTxTypeCompatibleBlock: 86_816_005,
    magmaCompatibleBlock: 99_841_497,
    koreCompatibleBlock: 119_750_400,
    shanghaiCompatibleBlock: 135_456_000,
    cancunCompatibleBlock: 147_534_000,
    randaoCompatibleBlock: 147_534_000,
    kaiaCompatibleBlock: 162_900_480,
    pragueCompatibleBlock: 190_670_000,
    osakaCompatibleBlock: 211_090_000,
    kip103CompatibleBlock: 119_750_400,
    kip103ContractAddress: "0xd5ad6d61dd87edabe2332607c328f5cc96aecb95",
    kip160CompatibleBlock: 162_900_480,
    kip160ContractAddress: "0xa4df15717da40077c0ad528296adbbd046579ee9",
    randaoRegistry: {
      owner: "0x04992a2b7e7ce809d409ade32185d49a96aaa32d",
      records: {
        KIP113: "0x3e80e75975bdb8e04b800485dd28bebec6d97679",
      },
    },
    istanbul: {
      epoch: 604_800,
      policy: 2,
      sub: 22,
    },
    blobSchedule: {
      osaka: {
        baseFeeUpdateFraction: 5_007_716,
        max: 1,
        target: 1,
      },
    },
    unitPrice: 25_000_000_000,
    deriveShaImpl: 2,
    governance: {
      govParamContract: "0x0000000000000000000000000000000000000000",
      governanceMode: "single",
      governingNode: "0x52d41ca72af615a1ac3301b0a93efa222ecc7541",
      reward: {
        deferredTxFee: true,
        minimumStake: 5_000_000,
        mintingAmount: "9600000000000000000",
        proposerUpdateInterval: 3600,
        ratio: "34/54/12",
        stakingUpdateInterval: 86_400,
        useGiniCoeff: true,
      },
    },
  },
  kairos: {
    chainId: 1001,
    istanbulCompatibleBlock: 75_373_312,
    londonCompatibleBlock: 80_295_291,
    ethTxTypeCompatibleBlock: 86_513_895,
    magmaCompatibleBlock: 98_347_376,
    koreCompatibleBlock: 111_736_800,
    shanghaiCompatibleBlock: 131_608_000,
    cancunCompatibleBlock: 141_367_000,
    randaoCompatibleBlock: 141_367_000,
    kaiaCompatibleBlock: 156_660_000,
    pragueCompatibleBlock: 187_930_000,
    osakaCompatibleBlock: 209_134_000,
    kip103CompatibleBlock: 119_145_600,
    kip103ContractAddress: "0xd5ad6d61dd87edabe2332607c328f5cc96aecb95",
    kip160CompatibleBlock: 156_660_000,
    kip160ContractAddress: "0x3d478e73c9dbebb72332712d7265961b1868d193",
    randaoRegistry: {
      owner: "0x04992a2b7e7ce809d409ade32185d49a96aaa32d",
      records: {
        KIP113: "0x4beed0651c46ae5a7cb3b7737345d2ee733789e6",
      },
    },
    istanbul: {
      epoch: 604_800,
      policy: 2,
      sub: 22,
    },
    blobSchedule: {
      osaka: {
        baseFeeUpdateFraction: 5_007_716,
        max: 1,
        target: 1,
      },
    },
    unitPrice: 25_000_000_000,
    deriveShaImpl: 2,
    governance: {
      govParamContract: "0x0000000000000000000000000000000000000000",
      governanceMode: "single",
      governingNode: "0x99fb17d324fa0e07f23b49d09028ac0919414db6",
      reward: {
        deferredTxFee: true,
        minimumStake: 5_000_000,
        mintingAmount: "9600000000000000000",
        proposerUpdateInterval: 3600,
        ratio: "34/54/12",
        stakingUpdateInterval: 86_400,
        useGiniCoeff: true,
      },
    },
  },
};

/** Genesis block hash of each public network. */
export const GENESIS_HASHES: Readonly<Record<PublicNetwork, string>> = {
  mainnet: "0xc72e5293c3c3ba38ed8ae910f780e4caaa9fb95e79784f7ab74c3c262ea7137e",
  kairos: "0xe33ff05ceec2581ca9496f38a2bf9baad5d4eed629e896ccb33d1dc991bc4b4a",
};

/** The chain configuration of a public network, as in reference node v2.2.1. */
export function networkConfig(network: PublicNetwork): ChainConfig {
  return parseChainConfig(CONFIGS[network]);
}
