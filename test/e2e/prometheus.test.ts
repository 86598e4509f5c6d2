import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node/index.ts";
import { freePort } from "./free-port.ts";

// A real Prometheus, if installed (Debian's package `prometheus`): what it scrapes, and what promtool reports.

const isInstalled = (program: string) => spawnSync(program, ["--version"]).error === undefined;
const missing = ["prometheus", "promtool"].filter((program) => !isInstalled(program));
if (missing.length > 0) console.warn(`not tested: ${missing.join(" and ")} not installed`);

const ALERTS = fileURLToPath(new URL("../../ops/alerts.yml", import.meta.url));
const SCRAPE_S = 1;

let node: Node;
let folder: string;
beforeAll(async () => {
  node = await createNode({ metrics: { port: 0 }, http: { port: 0 } });
  folder = mkdtempSync(join(tmpdir(), "kairn-prometheus-"));
  const [from, to] = (await node.provider.request({ method: "eth_accounts" })) as string[];
  await node.provider.request({ method: "eth_sendTransaction", params: [{ from, to, value: "0x1" }] });
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

function promtool(args: readonly string[], input = ""): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const child = execFile("promtool", args, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

describe.skipIf(missing.length > 0)("with Prometheus", () => {
  it("every rule of ops/alerts.yml is valid for promtool", async () => {
    const { code, text } = await promtool(["check", "rules", ALERTS]);
    expect(text).toContain("SUCCESS");
    expect(code).toBe(0);
  });

  it("the node's own names follow the conventions for names, units and totals", async () => {
    const named = await createNode({ metrics: { port: 0, names: "kairn" } });
    const text = await (await fetch(named.endpoints.metrics as string)).text();
    await named.stop();
    expect(text).not.toContain("klaytn_");
    expect(await promtool(["check", "metrics"], text)).toEqual({ code: 0, text: "" });
  });

  it("scrapes a running node: both sets of names are there, and all rules evaluate", async () => {
    const [port, target] = [await freePort(), new URL(node.endpoints.metrics as string).host];
    const config = join(folder, "prometheus.yml");
    const scrape = `scrape_interval: ${SCRAPE_S}s, evaluation_interval: ${SCRAPE_S}s`;
    const job = `{ job_name: kairn, static_configs: [{ targets: ["${target}"] }] }`;
    writeFileSync(config, `global: { ${scrape} }\nrule_files: ["${ALERTS}"]\nscrape_configs: [${job}]\n`);
    const args = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const server = spawn("prometheus", args, { stdio: "ignore" });
    try {
      const ask = async (path: string): Promise<Answer> =>
        (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as Answer;
      const measured = async (query: string): Promise<string | undefined> => {
        const { data } = await ask(`query?query=${encodeURIComponent(query)}`).catch(() => NOTHING);
        return data.result?.[0]?.value[1];
      };
      await until(async () => (await measured('up{job="kairn"}')) === "1");
      expect(await measured("klaytn_blockchain_head_blocknumber")).toBe("1");
      expect(await measured("kairn_head_block")).toBe("1");
      expect(await measured('kairn_block_phase_seconds_count{phase="process"}')).toBeDefined();
      await until(async () => {
        const groups = (await ask("rules")).data.groups ?? [];
        return groups.length > 0 && groups.every(({ rules }) => rules.every(({ health }) => health === "ok"));
      });
      const named = new Set(readFileSync(ALERTS, "utf8").match(/klaytn_\w+/g));
      const { data } = (await ask("label/__name__/values")) as unknown as { data: string[] };
      const unknown = [...named].filter((name) => !data.includes(name) && !name.startsWith("klaytn_p2p_"));
      expect(unknown).toEqual([]);
    } finally {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
  });
});

interface Answer {
  readonly data: {
    readonly result?: readonly { readonly value: readonly [number, string] }[];
    readonly groups?: readonly { readonly rules: readonly { readonly health: string }[] }[];
  };
}
const NOTHING: Answer = { data: {} };

/** Polls until a condition holds. @throws Error after a minute */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; !(await isSo()); i++) {
    if (i === 240) throw new Error("not within a minute");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
