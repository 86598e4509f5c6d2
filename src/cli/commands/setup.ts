import { resolve } from "node:path";
import { DEFAULT_PEER_PORT } from "../../node/options/chain/network.ts";
import { writeNetwork } from "../../node/setup/write-network.ts";
import { option } from "../../platform/config/option.ts";
import { integer, path, string } from "../../platform/config/types.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { checksumAddress } from "../../protocol/account/address.ts";
import { command, UsageError } from "../command.ts";

const MAX_VALIDATORS = 100;
/** Ports are assigned consecutively from these. */
const LAST_FIRST_PORT = 65_535 - MAX_VALIDATORS;
const FIRST_HTTP_PORT = 8_551;

const validators = option({
  flag: "validators",
  type: integer(1, MAX_VALIDATORS),
  default: 4,
  doc: "Number of validators; with four, one may fail.",
});
const directory = option({
  flag: "dir",
  type: path,
  default: undefined,
  doc: "Folder to write to; it must not contain a network yet.",
});
const chainId = option({
  flag: "chain-id",
  type: integer(1, 2 ** 31 - 1),
  default: undefined,
  doc: "Chain id; random by default.",
});
const host = option({
  flag: "host",
  type: string,
  default: "127.0.0.1",
  doc: "Address of the machine at which the nodes reach each other.",
});
const peerPort = option({
  flag: "port",
  type: integer(1, LAST_FIRST_PORT, "PORT"),
  default: DEFAULT_PEER_PORT,
  doc: "Peer-to-peer port of the first node; the others take the next ones.",
});
const httpPort = option({
  flag: "http.port",
  type: integer(1, LAST_FIRST_PORT, "PORT"),
  default: FIRST_HTTP_PORT,
  doc: "Port of the first node's HTTP server; the others take the next ones.",
});

export default command({
  usage: "--dir D",
  summary: "Writes the keys and the genesis of a new network of validators.",
  options: { validators, directory, chainId, host, peerPort, httpPort },
  async run({ values, positionals, stdout }) {
    if (values.directory === undefined || positionals.length > 0)
      throw new UsageError("usage: kairn setup --dir D [--validators 4]");
    const folder = resolve(values.directory);
    const written = await writeNetwork(
      {
        ...{ directory: folder, validators: values.validators, chainId: values.chainId },
        ...{ host: values.host, ports: { peers: values.peerPort, http: values.httpPort } },
      },
      systemRuntime,
    );
    stdout.write(`network ${written.chainId} in ${folder}\n`);
    for (const [i, validator] of written.validators.entries())
      stdout.write(`  node${i + 1}  ${checksumAddress(validator)}\n`);
    stdout.write(`  funds  ${checksumAddress(written.owner)} (its key: owner-key)\n`);
    stdout.write(`start it with ${folder}/start.sh\n`);
    return 0;
  },
});
