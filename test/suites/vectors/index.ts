import { account, addresses, stateRoot } from "./account.ts";
import { accountKey, accountKeyDecode, accountKeyUpdate, signatureGas } from "./account-key.ts";
import { baseFees, blocks, headers, listRoots, receipts } from "./block.ts";
import { committeesByRound, istanbulTraces, quorums } from "./consensus.ts";
import { distances, packets, addresses as relayedAddresses } from "./discovery.ts";
import { genesis, networkGenesisOf } from "./genesis.ts";
import { istanbulMessages, istanbulSeals, judgedIstanbulMessages, randaoKeys } from "./istanbul.ts";
import { invalidKeyFiles, keyFiles, oldKeyFiles } from "./keystore.ts";
import { committees, goRandom, randao, votes } from "./network.ts";
import { opcodes } from "./opcodes.ts";
import { frames, judgedFrames } from "./peer-to-peer/frames.ts";
import { handshakes, judgedHandshakes } from "./peer-to-peer/handshakes.ts";
import { hellos, nodeUrls } from "./peer-to-peer/hellos.ts";
import { judgedMessages, messages } from "./peer-to-peer/messages.ts";
import { recordedChain } from "./recorded-chain.ts";
import { signedMessage } from "./signed-message.ts";
import { stateTransition } from "./state-transition.ts";
import { systemContracts } from "./system-contracts.ts";
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

/** The check of each vector file, by path. */
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
  "genesis/kairos.expected.json": networkGenesisOf("kairos"),
  "genesis/mainnet.expected.json": networkGenesisOf("mainnet"),
  "network/committee.json": committeesByRound,
  "network/discovery.json": packets,
  "network/discovery-addresses.json": relayedAddresses,
  "network/hello.json": hellos,
  "network/kademlia.json": distances,
  "network/istanbul-messages.json": istanbulMessages,
  "network/istanbul-messages-refused.json": judgedIstanbulMessages,
  "network/istanbul-seals.json": istanbulSeals,
  "network/istanbul-traces.json": istanbulTraces,
  "network/messages.json": messages,
  "network/messages-refused.json": judgedMessages,
  "network/node-urls.json": nodeUrls,
  "network/quorum.json": quorums,
  "network/randao.json": randaoKeys,
  "network/rlpx-frames.json": frames,
  "network/rlpx-frames-refused.json": judgedFrames,
  "network/rlpx-handshake.json": handshakes,
  "network/rlpx-handshake-refused.json": judgedHandshakes,
  "headers.json": headers,
  "intrinsic-gas.json": intrinsic,
  "keystore/files/v1_test_vector.json": oldKeyFiles,
  "keystore/files/v3_test_vector.json": oldKeyFiles,
  "keystore/invalid.json": invalidKeyFiles,
  "keystore/keyfiles.json": keyFiles,
  "keystore/v4-known.json": keyFiles,
  "list-roots.json": listRoots,
  "net/committee-randao.json": committees,
  "net/go-rand.json": goRandom,
  "net/governance.json": votes,
  "net/randao.json": randao,
  "official-examples.json": officialExamples,
  "opcodes.json": opcodes,
  "receipts.json": receipts,
  "sig-validation-gas.json": signatureGas,
  "signed-message.json": signedMessage,
  "state-root.json": stateRoot,
  "state-transition.json": stateTransition,
  "system-contracts.json": systemContracts,
  "transactions-decode.json": transactionsDecode,
  "transactions.json": transactions,
  "txpool.json": txpool,
};
