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
import { CallCache } from "./call-cache.ts";

/** Gas limit of calls made by the protocol. @see reference node v2.2.1 */
const GAS = 100_000_000n;

/** Calls contracts in the context of a block without changing state. */
export interface ContractReader {
  /** Output of a call on a state; undefined if the call fails. */
  call(state: StateReader, header: Header, to: Address, input: Uint8Array): Uint8Array | undefined;
  /** Output of a call in the middle of a block; undefined if the call fails. */
  callWithin(state: StateJournal, header: Header, to: Address, input: Uint8Array): Uint8Array | undefined;
}

/** Dependencies of a contract reader. */
export interface ContractReaderParts {
  readonly evm: Evm;
  readonly config: ChainConfig;
  readonly ancestry: Ancestry;
}

/** Creates a contract reader that calls from the zero address at price 0, and caches outputs while they are valid. */
export function createContractReader(parts: ContractReaderParts): ContractReader {
  const cache = new CallCache();
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
      return cache.output({ rules, to, input }, state, (reader, tracer) =>
        callTraced(createJournal(reader), header, { to, input }, tracer),
      );
    },
  };
}

/** Block context without the proposer: no system contract reads it, and an unfinished block has no seal yet. */
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
