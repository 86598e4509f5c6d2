import { REGISTRY } from "../../../src/ledger/extensions/contracts/addresses.ts";
import { REGISTRY_CODE } from "../../../src/ledger/extensions/randao/registry-code.ts";
import { registryStorage } from "../../../src/ledger/extensions/randao/registry-install.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the file itself
type Published = any;

/** system-contracts.json: what the randao fork installs. */
export function systemContracts({ registry, registryStorageExample: example }: Published): VectorCase[] {
  return [
    {
      name: "registry",
      run() {
        same(hex(REGISTRY), registry.address.toLowerCase(), "address");
        same(hex(REGISTRY_CODE), registry.code, "code");
      },
    },
    {
      name: "registry storage",
      run() {
        const { owner, records } = example.config;
        const addresses = Object.entries<string>(records).map(([name, text]) => [name, hexToBytes(text)]);
        const config = { owner: hexToBytes(owner), records: Object.fromEntries(addresses) };
        const storage = registryStorage(config).map(({ slot, value }) => [hex(slot), hex(value)]);
        if (example.storage !== undefined) same(Object.fromEntries(storage), example.storage, "storage");
      },
    },
  ];
}
