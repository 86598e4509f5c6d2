import { EMPTY_CODE_HASH } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { EMPTY_BYTES, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Table } from "../../database/table/table.ts";
import { StateError } from "../errors.ts";
import type { StateCounts, TableSize } from "../state.ts";
import { checkTrie } from "../trie/check-trie.ts";
import { accountOfRow } from "./flat/flat-rows.ts";
import type { StateTables } from "./tables.ts";
import { TrieStage } from "./trie-stage.ts";

/**
 * Checks that the flat rows hash to the root through all tries, that all code is present and matches its hash, and that
 * there are no stray rows or nodes.
 * @param onAccount - called with the hashed address of each account, in ascending order
 * @throws StateError `STATE_DAMAGED`
 */
export function verifyState(
  tables: StateTables,
  root: Hash,
  onAccount?: (key: Uint8Array) => void,
): StateCounts {
  const stage = new TrieStage(tables);
  const codes = new Set<string>();
  let accounts = 0;
  let slots = 0;
  let nodes = 0;
  const countSlot = () => void slots++;
  const accountNodes = checkTrie(stage.accountTrie(), root, (key) => {
    const account = accountOfRow(tables.flat.view(key) as Uint8Array);
    accounts++;
    onAccount?.(key);
    nodes += checkTrie(stage.storageTrie(key.slice()), account.storageRoot, countSlot);
    if (!equalBytes(account.codeHash, EMPTY_CODE_HASH)) checkCode(tables.codes, account.codeHash, codes);
  });
  nodes += accountNodes;
  compareCount("rows", accounts + slots, tableSize(tables.flat));
  compareCount("trie nodes", nodes, tableSize(tables.nodes));
  return { accounts, slots, nodes, codes: codes.size };
}

function checkCode(table: Table, hash: Hash, checked: Set<string>): void {
  const name = bytesToHex(hash);
  if (checked.has(name)) return;
  const code = table.view(hash);
  if (!code || !equalBytes(keccak256(code), hash))
    throw new StateError("STATE_DAMAGED", `code ${name} is missing or damaged`, { codeHash: name });
  checked.add(name);
}

function compareCount(what: string, reached: number, { rows }: TableSize): void {
  if (reached !== rows)
    throw new StateError("STATE_DAMAGED", `the state reaches ${reached} ${what}, the table has ${rows}`);
}

/** Rows and bytes of a table, counted by reading all of it. */
export function tableSize(table: Table): TableSize {
  let rows = 0;
  let bytes = 0;
  for (const [key, value] of table.range(EMPTY_BYTES)) {
    rows++;
    bytes += key.length + value.length;
  }
  return { rows, bytes };
}
