import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Header } from "../../../protocol/block/header.ts";
import { unsealedExtra } from "../../../protocol/block/istanbul-extra.ts";
import { DEFAULT_PARAMS } from "../../../protocol/params/defaults.ts";
import { EMPTY_BYTES, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { Row } from "../../state/state.ts";
import { CouncilHistory } from "./council.ts";

const path = new URL("../../../../test/fixtures/vectors/net/governance.json", import.meta.url);
interface Recorded {
  readonly number: number;
  readonly vote: string;
  readonly councilAt: readonly string[];
  readonly councilNext: readonly string[];
}
const blocks: readonly Recorded[] = JSON.parse(readFileSync(path, "utf8")).blocks;

/** The council of the recorded network; a map stands for the database. */
function open(rows: Map<string, Row> = new Map(), governingNode = DEFAULT_PARAMS.governingNode) {
  const validators = (blocks[0] as Recorded).councilAt.map(hexToBytes);
  const genesis = { number: 0n, extra: unsealedExtra(EMPTY_BYTES, validators) } as Header;
  const store = {
    range: () =>
      [...rows.values()].map(({ key, value }): [Uint8Array, Uint8Array] => [key, value as Uint8Array]),
  };
  const council = new CouncilHistory({
    genesis,
    params: { at: () => ({ ...DEFAULT_PARAMS, governingNode }) },
    store,
  });
  const insert = ({ number, vote }: Recorded): void => {
    const header = { number: BigInt(number), vote: hexToBytes(vote) } as Header;
    const executed = { block: { header, transactions: [] }, hash: ZERO_HASH, receipts: [] };
    for (const row of council.inserted(executed)) rows.set(bytesToHex(row.key), row);
    council.committed(executed);
  };
  return { council, insert, rows };
}

const at = (council: CouncilHistory, number: number) => council.at(BigInt(number)).map(bytesToHex);

describe("councils", () => {
  it("change in the block after a vote, as recorded", () => {
    const { council, insert, rows } = open();
    for (const block of blocks) {
      insert(block);
      expect(at(council, block.number)).toEqual(block.councilAt);
      expect(at(council, block.number + 1)).toEqual(block.councilNext);
    }
    const last = blocks.at(-1) as Recorded;
    expect(at(open(rows).council, last.number + 1)).toEqual(last.councilNext);
  });

  it("forget votes above the block to which the chain is rewound", () => {
    const { council, insert } = open();
    for (const block of blocks) insert(block);
    const first = blocks[0] as Recorded;
    expect(council.rewind({ number: BigInt(first.number) } as Header)).toEqual([
      expect.objectContaining({ value: null }),
    ]);
    expect(at(council, 5000)).toEqual(first.councilNext);
  });

  it("never lose the governing node", () => {
    const removal = blocks.find(
      ({ councilAt, councilNext }) => councilNext.length < councilAt.length,
    ) as Recorded;
    const gone = removal.councilAt.find((address) => !removal.councilNext.includes(address)) as string;
    const { council, insert } = open(new Map(), hexToBytes(gone));
    insert(removal);
    expect(at(council, removal.number + 1)).toEqual(removal.councilAt);
  });
});
