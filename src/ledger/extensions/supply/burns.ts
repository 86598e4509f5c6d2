import { parseJson } from "../../../protocol/codec/json/parse.ts";
import { isObject, type Json, numberText } from "../../../protocol/codec/json/value.ts";
import type { ChainConfig } from "../../../protocol/params/config.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Chain } from "../../chain/chain.ts";
import { AbiOutput, callInput } from "../contracts/abi.ts";
import type { ContractReader } from "../contracts/contract-reader.ts";
import { ExtensionError } from "../errors.ts";

/** Addresses whose balance counts as burnt. */
const BURN_ADDRESSES = [
  new Uint8Array(20),
  hexToBytes("0x000000000000000000000000000000000000dead"),
] as const;
/** The memo of the Kairos network is prose, not JSON; this is the amount it stands for. @see reference node v2.2.1 */
const KAIROS = { chainId: 1001n, memoStart: "before", burnt: -3_704_329_462_904_320_084_000_000_000n };

/**
 * Balances of the zero address and of 0x…dead after a block, kei.
 * @throws ExtensionError `SUPPLY_UNKNOWN` if the block's state is not kept
 */
export function canonicalBurns(chain: Chain, number: bigint): readonly [zero: bigint, dead: bigint] {
  const state = chain.stateAt(number);
  if (state === undefined) {
    const reason = `missing state of block ${number}: its history is not kept`;
    throw unknown(`cannot determine canonical (0x0, 0xdead) burn amount: ${reason}`);
  }
  const [zero, dead] = BURN_ADDRESSES.map((address) => state.account(address)?.balance ?? 0n);
  return [zero as bigint, dead as bigint];
}

/**
 * Amount burnt by a treasury rebalancing up to a block, kei, from the memo added to its contract afterwards.
 * @throws ExtensionError `SUPPLY_UNKNOWN` if the contract has no readable memo
 */
export function rebalanceBurn(
  chain: Chain,
  contracts: ContractReader,
  rebalancing: ChainConfig["kip103"],
  number: bigint,
): bigint {
  if (rebalancing === undefined || rebalancing.block === 0n || rebalancing.block > number) return 0n;
  if (rebalancing.contract.every((byte) => byte === 0)) return 0n;
  const { header } = chain.head;
  const output = contracts.call(chain.latestState(), header, rebalancing.contract, callInput("memo()"));
  if (output === undefined || output.length === 0) throw noBurn("no contract code at given address");
  const memo = new TextDecoder().decode(new AbiOutput(output).bytes(0));
  if (memo === "") throw noBurn("rebalance memo empty");
  if (chain.config.chainId === KAIROS.chainId && memo.startsWith(KAIROS.memoStart)) return KAIROS.burnt;
  return burntIn(memo);
}

/** The number `burnt` of a JSON memo; 0 if it has none, as in the reference. */
function burntIn(memo: string): bigint {
  const parsed = parseJson(memo);
  if ("syntaxError" in parsed) throw noBurn(parsed.syntaxError);
  if (!isObject(parsed.value)) throw noBurn("the memo is not an object");
  const burnt: Json = parsed.value["burnt"] ?? 0;
  const text = numberText(burnt);
  if (text === undefined || !/^-?\d+$/.test(text)) throw noBurn("burnt is not an integer");
  return BigInt(text);
}

function noBurn(reason: string): ExtensionError {
  return unknown(`cannot determine rebalance (kip103, kip160) burn amount: ${reason}`);
}

function unknown(text: string): ExtensionError {
  return new ExtensionError("SUPPLY_UNKNOWN", text);
}
