import { resolve } from "node:path";
import { createBootnode } from "../../node/bootnode/create-bootnode.ts";
import { bootnodeOptions } from "../../node/options/bootnode.ts";
import { membersOf } from "../../node/options/member.ts";
import { ConfigError } from "../../platform/config/types.ts";
import { writeNewFile } from "../../platform/runtime/new-file.ts";
import { systemDatagrams } from "../../platform/runtime/system/datagrams.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { command } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { runService } from "../service/run-service.ts";

const KEY_BYTES = 32;

/** `kairn bootnode` */
export default command({
  usage: "",
  summary: "Runs a bootnode, which introduces nodes to one another and has no chain.",
  options: bootnodeOptions,
  async run(invocation) {
    const { values, stdout } = invocation;
    if (values.genKey !== undefined) {
      const key = bytesToHex(systemRuntime.randomness.bytes(KEY_BYTES)).slice(2);
      writeNewFile(values.genKey, key, 0o600);
      return ExitCode.done;
    }
    if (values.nodeKeyFile !== undefined && values.nodeKeyHex !== undefined)
      throw new ConfigError("CONFIG_CONFLICT", "--nodekey and --nodekeyhex cannot be given together");
    const { nodeKey: key, ...members } = membersOf(bootnodeOptions, values);
    if (key === undefined)
      throw new ConfigError(
        "CONFIG_VALUE",
        "--nodekey or --nodekeyhex must give the key; --genkey creates one",
      );
    if (values.writeAddress) {
      stdout.write(`${bytesToHex(publicKeyOf(key)).slice(2)}\n`);
      return ExitCode.done;
    }
    const { dataDir, bnAddress: address, authorizedNodes: authorized } = values;
    const node = {
      ...members,
      ...(dataDir !== undefined && { dataDir: resolve(dataDir), ipc: members.ipc ?? true }),
    };
    return runService(
      invocation,
      { dataDir: node.dataDir, values },
      {
        start: ({ logger }) =>
          createBootnode({
            ...{ key, address, authorized, node, logger },
            ...{ datagrams: systemDatagrams, runtime: systemRuntime },
          }),
        onReady: ({ url, endpoints }) => {
          const listening = Object.values(endpoints).join(", ");
          stdout.write(`kairn: bootnode ${url}${listening && `, listening on ${listening}`}\n`);
        },
        exitCode: () => ExitCode.done,
      },
    );
  },
});
