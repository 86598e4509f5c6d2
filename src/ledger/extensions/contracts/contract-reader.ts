import { blockHash } from "../../../protocol/block/hash.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { rulesAt } from "../../../protocol/params/rules.ts";
import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { Ancestry } from "../../chain/execute/consensus-rules.ts";
import type { BlockContext, Evm, Tracer } from "../../evm/evm.ts";
import { createBlockContext } from "../../execution/environment.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { StateReader } from "../../state/state.ts";
import { KeptAnswers } from "./kept-answers.ts";

/** Enough gas for the functions that the protocol calls. @see reference node v2.2.1 */
const GAS = 100_000_000n;

/** Reads contracts in a block without changing state. */
export interface ContractReader {
  /** Output of a call over a state; undefined when the call fails. */
  call(state: StateReader, header: Header, to: Address, input: Uint8Array): Uint8Array | undefined;
  /** Output of a call in the middle of a block; undefined when the call fails. */
  callWithin(state: StateJournal, header: Header, to: Address, input: Uint8Array): Uint8Array | undefined;
}

/** What a contract reader is made of. */
export interface ContractReaderParts {
  readonly evm: Evm;
  readonly config: ChainConfig;
  readonly ancestry: Ancestry;
}

/** A contract reader that calls from the zero address at price 0, and keeps answers for as long as they are right. */
export function createContractReader(parts: ContractReaderParts): ContractReader {
  const kept = new KeptAnswers();
  const callTraced = (
    state: StateJournal,
    header: Header,
    { to, input }: { readonly to: Address; readonly input: Uint8Array },
    tracer?: Tracer,
  ): Uint8Array | undefined => {
    const message = { caller: ZERO_ADDRESS, to, value: 0n, input, gas: GAS };
    const transaction = { origin: ZERO_ADDRESS, gasPrice: 0n, feePayer: ZERO_ADDRESS, blobHashes: [] };
    state.checkpoint();
    const { outcome, output } = parts.evm.run(
      message,
      blockContext(header, parts),
      transaction,
      state,
      {},
      tracer,
    );
    state.revert();
    return outcome === "success" ? output : undefined;
  };
  return {
    callWithin: (state, header, to, input) => callTraced(state, header, { to, input }),
    call(state, header, to, input) {
      const rules = rulesAt(parts.config, header.number);
      return kept.answer({ rules, to, input }, state, (reader, tracer) =>
        callTraced(createJournal(reader), header, { to, input }, tracer),
      );
    },
  };
}

/** Without the proposer: no system contract reads it, and an unfinished block has no seal yet. */
function blockContext(header: Header, { config, ancestry }: ContractReaderParts): BlockContext {
  return createBlockContext({
    header,
    author: ZERO_ADDRESS,
    rules: rulesAt(config, header.number),
    ancestorHash(number) {
      const ancestor = ancestry.header(number);
      return ancestor && blockHash(ancestor);
    },
  });
}
