import type { Fork, Rules } from "../params/forks.ts";
import * as f from "./fields.ts";
import {
  type FeeMode,
  isEnveloped,
  type TransactionEffect,
  type TransactionType,
  TypeCode,
} from "./types.ts";

/** First byte of Ethereum's typed transactions; it is not hashed. */
export const ETHEREUM_ENVELOPE = 0x78;

/** One base type of the reference; two fee-delegated types, `code + 1` and `code + 2`, derive from it. */
interface BaseType {
  readonly name: string;
  readonly code: number;
  readonly effect: TransactionEffect;
  /** Fields that the sender signs, in wire order. */
  readonly fields: readonly f.TransactionField[];
  /** Field that follows the fee ratio; without it the ratio comes last. */
  readonly ratioBefore?: f.TransactionField;
}

const head = [f.nonce, f.gasPrice, f.gas] as const;
const call = [...head, f.to, f.value, f.from, f.input] as const;
const dynamicHead = [f.nonce, f.tip, f.feeCap, f.gas] as const;

/** To add a type, add a row. */
const kaiaTypes: readonly BaseType[] = [
  {
    name: "ValueTransfer",
    code: TypeCode.valueTransfer,
    effect: "transfer",
    fields: [...head, f.to, f.value, f.from],
  },
  { name: "ValueTransferMemo", code: 0x10, effect: "memo", fields: call },
  {
    name: "AccountUpdate",
    code: TypeCode.accountUpdate,
    effect: "accountUpdate",
    fields: [...head, f.from, f.key],
  },
  {
    name: "SmartContractDeploy",
    code: 0x28,
    effect: "deploy",
    fields: [...head, f.optionalTo, f.value, f.from, f.input, f.humanReadable, f.codeFormat],
    ratioBefore: f.codeFormat,
  },
  { name: "SmartContractExecution", code: TypeCode.contractExecution, effect: "execute", fields: call },
  { name: "Cancel", code: 0x38, effect: "cancel", fields: [...head, f.from] },
  { name: "ChainDataAnchoring", code: 0x48, effect: "anchor", fields: [...head, f.from, f.input] },
];

const ethereumTypes: readonly TransactionType[] = [
  ethereum("LegacyTransaction", TypeCode.legacy, undefined, [...head, f.optionalTo, f.value, f.input]),
  ethereum("EthereumAccessList", TypeCode.accessList, "ethTxType", [
    f.chainId,
    ...head,
    f.optionalTo,
    f.value,
    f.input,
    f.accessList,
  ]),
  ethereum("EthereumDynamicFee", TypeCode.dynamicFee, "ethTxType", [
    f.chainId,
    ...dynamicHead,
    f.optionalTo,
    f.value,
    f.input,
    f.accessList,
  ]),
  ethereum("EthereumBlob", TypeCode.blob, "osaka", [
    f.chainId256,
    f.nonce,
    f.tip256,
    f.feeCap256,
    f.gas,
    f.to,
    f.value256,
    f.input,
    f.accessList,
    f.blobFeeCap,
    f.blobHashes,
  ]),
  ethereum("EthereumSetCode", TypeCode.setCode, "prague", [
    f.chainId256,
    ...dynamicHead,
    f.to,
    f.value,
    f.input,
    f.accessList,
    f.authorizationList,
  ]),
];

function ethereum(
  name: string,
  code: number,
  since: Fork | undefined,
  fields: readonly f.TransactionField[],
): TransactionType {
  const prefix = isEnveloped({ code }) ? [code >> 8, code & 0xff] : [];
  return {
    name: `TxType${name}`,
    code,
    feeMode: "sender",
    effect: "ethereum",
    ethereum: true,
    prefix: Uint8Array.from(prefix),
    fields,
    ...(since === undefined ? {} : { since }),
  };
}

function variants(base: BaseType): readonly TransactionType[] {
  const shared = base.fields.toSpliced(ratioIndex(base), 0, f.feeRatio);
  return [
    variant(base, base.name, { code: base.code, feeMode: "sender", fields: base.fields }),
    variant(base, `FeeDelegated${base.name}`, {
      code: base.code + 1,
      feeMode: "feePayer",
      fields: base.fields,
    }),
    variant(base, `FeeDelegated${base.name}WithRatio`, {
      code: base.code + 2,
      feeMode: "shared",
      fields: shared,
    }),
  ];
}

function ratioIndex({ fields, ratioBefore }: BaseType): number {
  return ratioBefore === undefined ? fields.length : fields.indexOf(ratioBefore);
}

function variant(
  { effect }: BaseType,
  name: string,
  own: { code: number; feeMode: FeeMode; fields: readonly f.TransactionField[] },
): TransactionType {
  return { name: `TxType${name}`, ...own, effect, ethereum: false, prefix: Uint8Array.of(own.code) };
}

/** All 26 types in the order of their codes. */
export const TRANSACTION_TYPES: readonly TransactionType[] = [
  ...ethereumTypes.slice(0, 1),
  ...kaiaTypes.flatMap(variants),
  ...ethereumTypes.slice(1),
];

const byCode = new Map(TRANSACTION_TYPES.map((type) => [type.code, type]));
const byName = new Map(TRANSACTION_TYPES.map((type) => [type.name, type]));

/** The type with this code, if there is one. */
export function transactionType(code: number): TransactionType | undefined {
  return byCode.get(code);
}

/** The type with this name in the reference, if there is one. */
export function transactionTypeByName(name: string): TransactionType | undefined {
  return byName.get(name);
}

/** Whether blocks under these rules may contain transactions of the type. */
export function isActive({ since }: TransactionType, rules: Rules): boolean {
  return since === undefined || rules[since];
}
