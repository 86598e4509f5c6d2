import type { Node } from "../../../src/node/create-node.ts";
import { HOSTILE } from "./seeded-node.ts";

/** A screen with content, named like its screenshot. */
export interface Shown {
  readonly name: string;
  readonly path: string;
  /** Text that appears once the screen is shown. */
  readonly text: string;
}

interface WireReceipt {
  readonly type: string;
  readonly transactionHash: string;
  readonly from: string;
  readonly contractAddress: string | null;
}

/** One transaction of each type in a chain, by the name of the type. */
export async function transactionsByType(node: Node): Promise<ReadonlyMap<string, WireReceipt>> {
  const found = new Map<string, WireReceipt>();
  const head = Number(node.chain.head.header.number);
  for (let number = 0; number <= head; number++) {
    const receipts = await ask<readonly WireReceipt[]>(
      node,
      "kaia_getBlockReceipts",
      `0x${number.toString(16)}`,
    );
    for (const receipt of receipts) if (!found.has(receipt.type)) found.set(receipt.type, receipt);
  }
  return found;
}

/** Screens that send transactions, and those that show pending ones, on a development chain. */
export async function devScreens(node: Node): Promise<readonly Shown[]> {
  const [, account] = await ask<readonly [string, string]>(node, "kaia_accounts");
  return [
    { name: "pool-with-a-gap", path: "/pool", text: "2 transactions are waiting for nonces" },
    { name: "dev-controls", path: "/dev", text: "Mining" },
    { name: "key-store", path: "/keystore", text: "Import a key" },
    { name: "key-editor", path: `/accounts/${account}/key`, text: "What it means" },
    { name: "multisig-desk", path: "/multisig", text: "Start a transfer" },
    { name: "fee-payer-desk", path: "/fee-payer", text: "Pay for a transaction" },
    { name: "contract-by-abi", path: `/accounts/${HOSTILE}/contract`, text: "ABI, or an artifact" },
  ];
}

/** All screens, with parameters from a chain. */
export async function shownScreens(node: Node): Promise<readonly Shown[]> {
  const types = await transactionsByType(node);
  const of = (type: string): WireReceipt => types.get(`TxType${type}`) as WireReceipt;
  const shared = of("FeeDelegatedSmartContractExecutionWithRatio");
  const update = of("AccountUpdate");
  const created = of("SmartContractDeploy");
  return [
    { name: "home", path: "/", text: "Newest transactions" },
    { name: "blocks", path: "/blocks", text: "Newest blocks" },
    { name: "block", path: "/blocks/5", text: "Committed seals" },
    { name: "transactions", path: "/transactions", text: "Newest transactions" },
    { name: "transaction", path: `/transactions/${shared.transactionHash}`, text: "Signed by the fee payer" },
    {
      name: "account-update",
      path: `/transactions/${update.transactionHash}`,
      text: "New account key",
    },
    { name: "accounts", path: "/accounts", text: "Look up" },
    { name: "account", path: `/accounts/${update.from}`, text: "Sent transactions" },
    { name: "contract", path: `/accounts/${created.contractAddress}`, text: "Storage" },
    { name: "pool", path: "/pool", text: "Nothing pending" },
    { name: "peers", path: "/peers", text: "Rounds of the latest blocks" },
    { name: "metrics", path: "/metrics", text: "Longest event loop delay" },
    { name: "log", path: "/logs", text: "Lines, newest first" },
    { name: "search", path: "/search/nothing", text: "Nothing found for" },
  ];
}

async function ask<T>(node: Node, method: string, ...params: unknown[]): Promise<T> {
  return (await node.provider.request({ method, params })) as T;
}
