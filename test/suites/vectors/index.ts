import { account, addresses, stateRoot } from "./account.ts";
import { accountKey, accountKeyDecode, accountKeyUpdate, signatureGas } from "./account-key.ts";
import { baseFees, blocks, headers, listRoots, receipts } from "./block.ts";
import { genesis } from "./genesis.ts";
import { opcodes } from "./opcodes.ts";
import { recordedChain } from "./recorded-chain.ts";
import { stateTransition } from "./state-transition.ts";
import {
  anchoringData,
  feeRatio,
  intrinsic,
  officialExamples,
  transactions,
  transactionsDecode,
} from "./transaction.ts";
import { txpool } from "./txpool.ts";
import type { VectorCheck } from "./vector-case.ts";

/** What checks each vector file, by the file's path. */
export const CHECKS: Readonly<Record<string, VectorCheck>> = {
  "account-key.json": accountKey,
  "account-key-decode.json": accountKeyDecode,
  "account-key-update.json": accountKeyUpdate,
  "account.json": account,
  "anchoring-data.json": anchoringData,
  "basefee.json": baseFees,
  "blocks.json": blocks,
  "chain-all-forks.json": recordedChain,
  "contract-address.json": addresses,
  "fee-ratio.json": feeRatio,
  "genesis.json": genesis,
  "headers.json": headers,
  "intrinsic-gas.json": intrinsic,
  "list-roots.json": listRoots,
  "official-examples.json": officialExamples,
  "opcodes.json": opcodes,
  "receipts.json": receipts,
  "sig-validation-gas.json": signatureGas,
  "state-root.json": stateRoot,
  "state-transition.json": stateTransition,
  "transactions-decode.json": transactionsDecode,
  "transactions.json": transactions,
  "txpool.json": txpool,
};
