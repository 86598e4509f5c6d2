// A network whose validators feed the log: no lease, each block once, whichever node is down.
import assert from "node:assert/strict";
import { Stage, reaches as validatorReaches } from "../../network/stage.ts";
import { TestCluster } from "../nodes/cluster.ts";
import { compareChains } from "../nodes/compare.ts";
import type { Postgres } from "../servers/postgres.ts";
import { TcpProxy } from "../servers/tcp-proxy.ts";

/** A validator and an endpoint feed one log; each of them is down for a while, and a follower misses nothing. */
export async function feedersScene(postgres: Postgres): Promise<string> {
  const cluster = await TestCluster.over(postgres, "feeders");
  const proxy = await TcpProxy.start(postgres.port);
  const stage = new Stage();
  try {
    const feeds = (url: string) => ["--changelog", url, "--role", "feeder"];
    const through = postgres.url("feeders", undefined, proxy.port);
    const validator = await stage.start({
      ...{ kind: "kairn", role: "cn", name: "validator" },
      more: feeds(through),
    });
    let endpoint = await stage.start({
      ...{ kind: "kairn", role: "en", name: "endpoint", peers: [validator.url] },
      more: feeds(cluster.url),
    });
    const follower = (await cluster.follower("follower")).launch("--changelog.rpc-url", validator.rpcUrl);
    await follower.reaches(3);
    await endpoint.kill();
    const alone = await validator.height();
    await follower.reaches(alone + 3);
    endpoint = await stage.restart(endpoint);
    await validatorReaches(endpoint, alone + 3);
    proxy.mode = "silent";
    const cutOff = await validator.height();
    await follower.reaches(cutOff + 3);
    proxy.mode = "clear";
    await follower.reaches(cutOff + 8);
    const { blocks } = await compareChains([validator, endpoint, follower], new Map(), postgres, "feeders");
    const [lease] = await postgres.query<{ epoch: string }>(`SELECT epoch FROM lease`, "feeders");
    assert.equal(Number(lease?.epoch), 0);
    return `${blocks} blocks, each once`;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${stage.logs()}`, { cause: error });
  } finally {
    await Promise.all([cluster.remove(), stage.close()]);
    proxy.close();
  }
}
