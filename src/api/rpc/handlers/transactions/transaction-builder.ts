import { decodeAccountKey } from "../../../../protocol/account/key-codec.ts";
import { EMPTY_BYTES, equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import type { TransactionField } from "../../../../protocol/transaction/fields.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { ETHEREUM_ENVELOPE, transactionType } from "../../../../protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../../protocol/transaction/value.ts";
import { refused } from "../../engine/errors.ts";
import type { EthTransactionArgs, SendTxArgs } from "../../spec/values/transaction-args.ts";

/** Arguments whose gas, price and nonce are filled in. */
export type Filled<A> = A & { readonly gas: bigint; readonly nonce: bigint };

/** Types that the reference still names but no longer builds. */
const RETIRED: Readonly<Record<number, string>> = { 24: "TxTypeAccountCreation", 64: "TxTypeBatch" };

/** Member, and the tag under which the reference's texts name it, in the order of its checks. */
const CHECKED: readonly (readonly [keyof SendTxArgs, string])[] = [
  ["typeInt", "typeInt"],
  ["to", "to"],
  ["gas", "gas"],
  ["gasPrice", "gasPrice"],
  ["maxPriorityFeePerGas", "maxPriorityFeePerGas"],
  ["maxFeePerGas", "maxFeePerGas"],
  ["value", "value"],
  ["nonce", "nonce"],
  ["data", "data"],
  ["input", "input"],
  ["codeFormat", "codeFormat"],
  ["humanReadable", "humanReadable"],
  ["key", "key"],
  ["accessList", "accessList,omitempty"],
  ["chainId", "chainId,omitempty"],
  ["authorizationList", "authorizationList,omitempty"],
  ["feePayer", "feePayer"],
  ["feeRatio", "feeRatio"],
];

/** Whether a type code is one of Ethereum's typed ones, known or not. */
export function isEthTyped(code: bigint | undefined): boolean {
  return code !== undefined && code >> 8n === BigInt(ETHEREUM_ENVELOPE) && (code & 0xffn) !== 0n;
}

/**
 * The unsigned transaction of filled arguments.
 * @throws RpcError -32000 with the reference's texts
 */
export function buildTransaction(args: Filled<SendTxArgs>): Transaction {
  const code = Number(args.typeInt ?? 0n);
  const type = transactionType(code);
  if (code === TypeCode.legacy) return buildLegacy(type as TransactionType, args);
  if (code >> 8 === ETHEREUM_ENVELOPE) return buildEthTyped(type, args);
  checkMembers(type, code, args);
  return buildKaia(type as TransactionType, args);
}

function buildLegacy(type: TransactionType, args: Filled<SendTxArgs>): Transaction {
  const { data, input, to, nonce, gas, gasPrice, value } = args;
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    const advice = 'Please use "input" to pass transaction call data.';
    throw refused(`Both "data" and "input" are set and not equal. ${advice}`);
  }
  const payload = data ?? input ?? EMPTY_BYTES;
  if (to === undefined && payload.length === 0) throw refused("contract creation without any data provided");
  return createTransaction({
    type,
    nonce,
    gas,
    gasPrice: gasPrice ?? 0n,
    to,
    value: value ?? 0n,
    input: payload,
  });
}

/** @throws RpcError -32000 naming the first member that is missing or out of place */
function checkMembers(type: TransactionType | undefined, code: number, args: SendTxArgs): void {
  const name = type?.name ?? RETIRED[code] ?? "UndefinedTxType";
  const needed = type === undefined ? new Set<string>() : membersOf(type);
  for (const [member, tag] of CHECKED) {
    const given = args[member] !== undefined;
    if (given === needed.has(member)) continue;
    if (!given && member === "to" && type?.effect === "deploy") continue;
    throw refused(`json:"${tag}" is ${given ? "not a field of" : "required for"} ${name}`);
  }
}

function membersOf(type: TransactionType): Set<string> {
  const members = new Set<string>(["typeInt", ...type.fields.map(({ json }: TransactionField) => json)]);
  if (type.feeMode !== "sender") members.add("feePayer");
  return members;
}

function buildKaia(type: TransactionType, args: Filled<SendTxArgs>): Transaction {
  const { key } = args;
  if (key !== undefined && !isAccountKey(key)) throw refused("AccountKey must be a type of AccountKey");
  const feePayerSignatures = type.feeMode === "sender" ? {} : { feePayerSignatures: [] };
  return createTransaction({ ...partsOf(args), type, from: args.from, key, ...feePayerSignatures });
}

function isAccountKey(encoded: Uint8Array): boolean {
  try {
    decodeAccountKey(encoded);
    return true;
  } catch (error) {
    if (error instanceof NodeError) return false;
    throw error;
  }
}

function buildEthTyped(type: TransactionType | undefined, args: Filled<SendTxArgs>): Transaction {
  if (type === undefined) throw refused("undefined tx type");
  // The reference has no members for blobs, and fails here.
  if (type.code === TypeCode.blob) throw refused("To must be a type of *common.Address");
  checkEthTyped(type, args);
  const gasPrice = args.maxFeePerGas ?? args.gasPrice ?? 0n;
  return createTransaction({ ...partsOf(args), type, gasPrice, chainId: args.chainId });
}

/** Members without which an Ethereum type cannot be built, and members that it cannot have. */
function checkEthTyped(type: TransactionType, args: SendTxArgs): void {
  const has = (member: keyof SendTxArgs) => type.fields.some(({ json }) => json === member);
  if (type.code === TypeCode.setCode && args.to === undefined)
    throw refused("To must be a type of common.Address");
  if (args.accessList === undefined) throw refused("AccessList must be a type of AccessList");
  if (has("authorizationList") && args.authorizationList === undefined)
    throw refused("AuthorizationList must be a type of AuthorizationList");
  const extra: readonly (keyof SendTxArgs)[] = [
    "gasPrice",
    "maxPriorityFeePerGas",
    "maxFeePerGas",
    "authorizationList",
    "codeFormat",
    "humanReadable",
    "feePayer",
    "feeRatio",
  ];
  const hasKey = args.key !== undefined && isAccountKey(args.key);
  if (hasKey || extra.some((member) => args[member] !== undefined && !has(member)))
    throw refused("undefined key remains");
}

/** The parts that arguments and transactions name alike. */
function partsOf(args: Filled<SendTxArgs>) {
  const { nonce, gas, gasPrice, maxPriorityFeePerGas, to, value, input, humanReadable, codeFormat } = args;
  const { feePayer, feeRatio, accessList, authorizationList } = args;
  return {
    ...{ nonce, gas, gasPrice: gasPrice ?? 0n, maxPriorityFeePerGas, to, value: value ?? 0n },
    ...{
      input: input ?? EMPTY_BYTES,
      humanReadable,
      codeFormat,
      feePayer,
      feeRatio,
      accessList,
      authorizationList,
    },
  };
}

/** The call data of arguments: `input`, else `data`. */
export function inputOf({ input, data }: Pick<EthTransactionArgs, "input" | "data">): Uint8Array {
  return input ?? data ?? EMPTY_BYTES;
}

/** The unsigned transaction of filled arguments of the eth namespace; its type follows from the members present. */
export function buildEthTransaction(args: Filled<EthTransactionArgs>): Transaction {
  const { authorizationList, maxFeePerGas, accessList, to, nonce, gas, chainId } = args;
  const code = authorizationList
    ? TypeCode.setCode
    : maxFeePerGas !== undefined
      ? TypeCode.dynamicFee
      : accessList
        ? TypeCode.accessList
        : TypeCode.legacy;
  if (code === TypeCode.setCode && to === undefined)
    throw refused("SetCodeTx must have a non-nil recipient address");
  return createTransaction({
    type: transactionType(code) as TransactionType,
    ...{ nonce, gas, to, authorizationList, value: args.value ?? 0n, input: inputOf(args) },
    gasPrice: maxFeePerGas ?? args.gasPrice ?? 0n,
    ...(code >= TypeCode.dynamicFee && { maxPriorityFeePerGas: args.maxPriorityFeePerGas ?? 0n }),
    ...(code > 0 && { chainId, accessList: accessList ?? [] }),
  });
}
