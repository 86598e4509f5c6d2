// Opens a development chain's folder with the built program and reads everything in it; prints a line per response.
// Argument: the data folder. Exit code 74 if the folder is rejected.
import { writeFileSync } from "node:fs";
import { createNode } from "../../../../dist/index.js";

const [dataDir, output] = process.argv.slice(2);
const lines = [];

async function ask(node, method, ...params) {
  const question = `${method} ${JSON.stringify(params)}`;
  try {
    const answer = await node.provider.request({ method, params });
    lines.push(`${question} ${JSON.stringify(answer)}`);
    return answer;
  } catch (error) {
    lines.push(`${question} ERROR ${error.message}`);
    return undefined;
  }
}

try {
  const node = await createNode({ dev: true, dataDir, ipc: false, sealing: { kind: "manual" } });
  const head = Number(await ask(node, "eth_blockNumber"));
  const addresses = [...node.dev.accounts.slice(0, 6).map(({ address }) => hex(address)), process.argv[4]];
  for (let number = 0; number <= head; number++) {
    const tag = `0x${number.toString(16)}`;
    const block = await ask(node, "eth_getBlockByNumber", tag, true);
    await ask(node, "eth_getBlockReceipts", tag);
    for (const address of addresses) await ask(node, "eth_getBalance", address, tag);
    for (const slot of ["0x0", "0x5", "0x7"]) await ask(node, "eth_getStorageAt", process.argv[4], slot, tag);
    if (block) await ask(node, "eth_getBlockByHash", block.hash, false);
    for (const { hash } of block?.transactions ?? []) {
      await ask(node, "eth_getTransactionByHash", hash);
      await ask(node, "eth_getTransactionReceipt", hash);
    }
  }
  for (const address of addresses) {
    await ask(node, "eth_getTransactionCount", address, "latest");
    await ask(node, "eth_getCode", address, "latest");
    await ask(node, "eth_getProof", address, ["0x5"], "latest");
  }
  await ask(node, "eth_getLogs", { fromBlock: "0x0", toBlock: "latest" });
  await ask(node, "eth_getLogs", { fromBlock: "0x0", toBlock: "latest", address: process.argv[4] });
  lines.push(`health ${JSON.stringify(node.health())}`);
  writeFileSync(output, lines.join("\n"));
  await node.stop().catch(() => {});
  process.exit(0);
} catch (error) {
  writeFileSync(output, `REFUSED ${error.code} ${error.message}`);
  process.exit(74);
}

function hex(address) {
  return typeof address === "string" ? address : `0x${Buffer.from(address).toString("hex")}`;
}
