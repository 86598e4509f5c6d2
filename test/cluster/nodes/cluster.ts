import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../e2e/free-port.ts";
import type { Postgres } from "../servers/postgres.ts";
import { ClusterNode } from "./nodes.ts";

const QUIET = ["--ws=false", "--dashboard=false", "-q", "--verbosity", "3"];

/** Nodes over one database, each with a folder of its own. */
export class TestCluster {
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "kairn-cluster-"));
  readonly nodes: ClusterNode[] = [];

  constructor(url: string) {
    this.url = url;
  }

  static async over(postgres: Postgres, name: string): Promise<TestCluster> {
    return new TestCluster(await postgres.createDatabase(name));
  }

  /** Folder of a node. */
  folder(name: string): string {
    return join(this.#folder, name);
  }

  /** A node that can seal blocks: a development chain whose key all producers share. */
  async producer(name: string, url = this.url, ...more: readonly string[]): Promise<ClusterNode> {
    const args = ["dev", ...QUIET, "--datadir", this.folder(name), "--changelog", url, ...more];
    return this.#add(new ClusterNode(await freePort(), args));
  }

  /** The same without a change log. */
  async alone(name: string, ...more: readonly string[]): Promise<ClusterNode> {
    const args = ["dev", ...QUIET, "--datadir", this.folder(name), ...more];
    return this.#add(new ClusterNode(await freePort(), args));
  }

  /** A follower. */
  async follower(name: string, url = this.url, ...more: readonly string[]): Promise<ClusterNode> {
    const args = ["node", "--http", "--role", "follower", "--quiet", "--verbosity", "3"];
    return this.#add(
      new ClusterNode(await freePort(), [
        ...args,
        "--datadir",
        this.folder(name),
        "--changelog",
        url,
        ...more,
      ]),
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end("SIGKILL")));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #add(node: ClusterNode): ClusterNode {
    this.nodes.push(node);
    return node;
  }
}
