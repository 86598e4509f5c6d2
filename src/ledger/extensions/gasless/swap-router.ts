import { hasCode } from "../../../protocol/account/account.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { type Address, isZeroBytes, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import { AbiOutput, addressWord, callInput, isUnreadable, uintWord } from "../contracts/abi.ts";
import { REGISTRY } from "../contracts/addresses.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { activeAddress } from "../contracts/registry.ts";

/** The swap router of a chain and its supported tokens. */
export interface SwapRouter {
  /** The zero address if there is none. */
  readonly address: Address;
  readonly tokens: readonly Address[];
}

const NONE: SwapRouter = { address: ZERO_ADDRESS, tokens: [] };

/** Reads the swap router and token contracts in the state after a block. */
export class GaslessContracts {
  readonly #contracts: ContractReader;
  readonly #state: StateReader;
  readonly #header: Header;

  constructor(contracts: ContractReader, state: StateReader, header: Header) {
    this.#contracts = contracts;
    this.#state = state;
    this.#header = header;
  }

  /** The registered router with its tokens; none if its call fails. */
  router(): SwapRouter {
    const registry = this.#state.account(REGISTRY);
    if (registry === undefined || !hasCode(registry)) return NONE;
    const address = activeAddress(this.#contracts, this.#state, this.#header, "GaslessSwapRouter");
    if (isZeroBytes(address)) return NONE;
    try {
      const output = this.#call(address, callInput("getSupportedTokens()"));
      return output === undefined ? NONE : { address, tokens: output.addresses(0) };
    } catch (error) {
      // The registered contract is not a router.
      if (isUnreadable(error)) return NONE;
      throw error;
    }
  }

  /** Amount of a token that buys an amount of kei; undefined if the router fails. */
  amountIn(router: Address, token: Address, amountOut: bigint): bigint | undefined {
    const input = callInput("getAmountIn(address,uint256)", addressWord(token), uintWord(amountOut));
    return this.#call(router, input)?.uint(0);
  }

  /** Undefined if the token contract fails. */
  balance(token: Address, owner: Address): bigint | undefined {
    return this.#call(token, callInput("balanceOf(address)", addressWord(owner)))?.uint(0);
  }

  /** Undefined if the token contract fails. */
  allowance(token: Address, owner: Address, spender: Address): bigint | undefined {
    const input = callInput("allowance(address,address)", addressWord(owner), addressWord(spender));
    return this.#call(token, input)?.uint(0);
  }

  #call(to: Address, input: Uint8Array): AbiOutput | undefined {
    const output = this.#contracts.call(this.#state, this.#header, to, input);
    return output === undefined || output.length < 32 ? undefined : new AbiOutput(output);
  }
}
