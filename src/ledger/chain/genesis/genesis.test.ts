import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { blockHash } from "../../../protocol/block/hash.ts";
import { encodeHeader } from "../../../protocol/block/header-codec.ts";
import { GENESIS_HASHES } from "../../../protocol/params/presets.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { type Genesis, parseGenesis, readGenesis } from "./genesis.ts";
import { genesisHeader } from "./genesis-header.ts";
import { checkStoredGenesis, genesisGovernance, initialGenesis } from "./genesis-init.ts";
import { networkGenesis } from "./genesis-presets.ts";
import { stateRootOf } from "./genesis-root.ts";
import { genesisChanges } from "./genesis-state.ts";

const fixtures = new URL("../../../../test/fixtures/", import.meta.url);
const text = (path: string) => readFileSync(new URL(path, fixtures), "utf8");
const headerOf = (genesis: Genesis) => genesisHeader(genesis, stateRootOf(genesisChanges(genesis)));

describe("genesis vectors", () => {
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  const cases: any[] = JSON.parse(text("vectors/genesis.json")).cases;

  it.each(cases)("$name", (vector) => {
    const header = headerOf(readGenesis(vector.genesis));
    expect(bytesToHex(header.stateRoot)).toBe(vector.stateRoot);
    expect(bytesToHex(encodeHeader(header))).toBe(vector.headerRlp);
    expect(bytesToHex(blockHash(header))).toBe(vector.hash);
  });
});

describe("init", () => {
  it.each(["all-types", "forks", "bft4", "load-evm"])("writes block 0 of the recorded chain %s", (chain) => {
    const header = headerOf(initialGenesis(parseGenesis(text(`chains/${chain}/genesis.json`))));
    expect(bytesToHex(blockHash(header))).toBe(JSON.parse(text(`chains/${chain}/expect.json`)).genesisHash);
  });

  it("writes block 0 of the recorded chain that crosses all forks", () => {
    const { genesis, blocks } = JSON.parse(text("vectors/chain-all-forks.json"));
    const header = headerOf(initialGenesis(readGenesis(genesis)));
    expect(bytesToHex(header.stateRoot)).toBe(blocks[0].stateRoot);
    expect(bytesToHex(blockHash(header))).toBe(blocks[0].hash);
  });

  it.each(["mainnet", "kairos"] as const)(
    "gives the published %s block from the built-in files",
    (network) => {
      const genesis = networkGenesis(network, readFileSync);
      const expected = JSON.parse(text(`vectors/genesis/${network}.expected.json`));
      expect(bytesToHex(genesis.governance).slice(-40)).toBe(expected.header.governanceData.slice(-40));
      expect(bytesToHex(encodeHeader(headerOf(genesis)))).toBe(expected.headerRlp);
      expect(expected.hash).toBe(GENESIS_HASHES[network]);
    },
  );
});

describe("an invalid genesis file", () => {
  const extraData = `0x${"00".repeat(32)}c3c080c0`;

  it.each([
    [{ alloc: {} }, "genesis has no chain configuration"],
    [{ config: {} }, "missing required field 'alloc' for Genesis"],
    [{ config: {}, alloc: { ["11".repeat(20)]: {} } }, "missing required field 'balance' for GenesisAccount"],
    [{ config: {}, alloc: { "0x12": { balance: "1" } } }, "invalid address 0x12 in alloc"],
    [{ config: { istanbul: { epoch: 1 } }, alloc: {} }, "chainID is not specified"],
    [{ config: { chainId: 1 }, alloc: {}, number: 1 }, "can't commit genesis block with number > 0"],
    [{ config: {}, alloc: { [`11${"11".repeat(20)}`]: { balance: "1" } } }, "in alloc"],
    [
      { config: {}, alloc: { ["11".repeat(20)]: { balance: "1", storage: { "0x1": "0x01" } } } },
      'invalid hex storage key/value "1"',
    ],
    [
      { config: {}, alloc: { ["11".repeat(20)]: { balance: "1", storage: { "0x01": "00".repeat(33) } } } },
      "too many hex characters in storage key/value",
    ],
    [
      { config: { chainId: 1, governance: { governanceMode: "single" } }, alloc: {}, extraData },
      "governingNode is not in the validator list",
    ],
    [{ config: { chainId: 1 }, alloc: {}, extraData: "0x" }, "invalid istanbul header extra-data"],
  ])("%j: %s", (json, reason) => {
    expect(() => initialGenesis(readGenesis(json))).toThrowError(reason);
  });

  const acceptable = { chainId: 1, istanbul: { epoch: 1, sub: 1 } };
  const magma = { istanbulCompatibleBlock: 0, magmaCompatibleBlock: 0 };
  it.each([
    [{ istanbul: { epoch: 1 } }, "istanbul.committeesize"],
    [{ istanbul: { epoch: 1, sub: 1, policy: 7 } }, "istanbul.policy"],
    [{ governance: { governanceMode: "ballot" } }, "governance.governancemode"],
    [{ governance: { governanceMode: "none", reward: { ratio: "50/50/50" } } }, "reward.ratio"],
    [{ ...magma, governance: { governanceMode: "none", kip71: {} } }, "kip71.basefeedenominator"],
    [
      {
        ...magma,
        koreCompatibleBlock: 0,
        governance: { governanceMode: "none", reward: { ratio: "1/1/98", kip82ratio: "50/60" } },
      },
      "reward.kip82ratio",
    ],
  ])("%j: wrong value of %s", (config, name) => {
    const genesis = readGenesis({ config: { ...acceptable, ...config }, alloc: {}, extraData });
    expect(() => initialGenesis(genesis)).toThrowError(`failed to add param ${name}: invalid param value`);
  });

  it("does not include one whose invalid parameters belong to forks that are inactive at block 0", () => {
    const config = { ...acceptable, deriveShaImpl: 9, governance: { governanceMode: "none", kip71: {} } };
    expect(() => initialGenesis(readGenesis({ config, alloc: {}, extraData }))).not.toThrow();
  });

  it("includes one that is not JSON", () => {
    expect(() => parseGenesis("{")).toThrowError(expect.objectContaining({ code: "GENESIS_INVALID" }));
  });
});

describe("genesis governance", () => {
  const governanceText = (config: object) =>
    new TextDecoder().decode(genesisGovernance(readGenesis({ config, alloc: {} }).config));
  const kore = Object.fromEntries(
    ["istanbul", "london", "ethTxType", "magma", "kore"].map((fork) => [`${fork}CompatibleBlock`, 0]),
  );

  it("names the parameters of the forks that are active at block 0 only", () => {
    const governance = {
      governanceMode: "none",
      reward: { ratio: "100/0/0", kip82ratio: "20/80" },
      kip71: { gastarget: 5 },
    };
    expect(governanceText({ governance })).not.toMatch(/kip71|kip82|deriveshaimpl/);
    expect(governanceText({ governance, ...kore })).toMatch(/deriveshaimpl.*kip71\.gastarget":5.*kip82ratio/);
    expect(governanceText(kore)).not.toMatch(/kip71|kip82/);
  });
});

describe("a database with a genesis", () => {
  const genesis = readGenesis({ config: { chainId: 1, istanbulCompatibleBlock: 5 }, alloc: {} });
  const moved = readGenesis({ config: { chainId: 1, istanbulCompatibleBlock: 7 }, alloc: {} });
  const hash = new Uint8Array(32).fill(0xab);

  it("rejects another genesis, naming both", () => {
    const other = { hash: new Uint8Array(32), config: genesis.config };
    expect(() => checkStoredGenesis({ hash, config: genesis.config, head: 0n }, other)).toThrowError(
      "database already contains an incompatible genesis block (have abababababababab, new 0000000000000000)",
    );
  });

  it("accepts a moved fork until the chain has reached it", () => {
    const wanted = { hash, config: moved.config };
    expect(() => checkStoredGenesis({ hash, config: genesis.config, head: 4n }, wanted)).not.toThrow();
    expect(() => checkStoredGenesis({ hash, config: genesis.config, head: 5n }, wanted)).toThrowError(
      "mismatching Istanbul Block in database (have 5, want 7, rewindto 4)",
    );
  });
});
