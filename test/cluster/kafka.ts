import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../e2e/free-port.ts";

const START_MS = 120_000;

/** A Kafka broker in KRaft mode on loopback, from a folder of jars, with its data in a folder for temporary files. */
export class Kafka {
  readonly port: number;
  readonly #jars: string;
  readonly #folder: string;
  #server: ChildProcess | undefined;

  private constructor(jars: string, folder: string, port: number) {
    this.#jars = jars;
    this.#folder = folder;
    this.port = port;
  }

  /** @param jars - folder of `kafka_2.13` and what it depends on */
  static async start(jars: string): Promise<Kafka> {
    const folder = mkdtempSync(join(tmpdir(), "kairn-kafka-"));
    const kafka = new Kafka(jars, folder, await freePort());
    const controller = await freePort();
    const settings = {
      "process.roles": "broker,controller",
      "node.id": 1,
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      listeners: `PLAINTEXT://127.0.0.1:${kafka.port},CONTROLLER://127.0.0.1:${controller}`,
      "advertised.listeners": `PLAINTEXT://127.0.0.1:${kafka.port}`,
      "controller.listener.names": "CONTROLLER",
      "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
      "log.dirs": join(folder, "data"),
      "offsets.topic.replication.factor": 1,
      "offsets.topic.num.partitions": 1,
      "group.initial.rebalance.delay.ms": 0,
      "auto.create.topics.enable": false,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(kafka.#settings, lines.join(""));
    const id = randomBytes(16).toString("base64url");
    const format = [
      "-cp",
      kafka.#classes,
      "kafka.tools.StorageTool",
      "format",
      "-t",
      id,
      "-c",
      kafka.#settings,
    ];
    execFileSync("java", format, { stdio: "pipe" });
    await kafka.launch();
    return kafka;
  }

  get broker(): string {
    return `127.0.0.1:${this.port}`;
  }

  async launch(): Promise<void> {
    const args = ["-Xmx400m", "-cp", this.#classes, "kafka.Kafka", this.#settings];
    this.#server = spawn("java", args, { stdio: "ignore", cwd: this.#folder });
    for (const until = Date.now() + START_MS; !(await isOpen(this.port)); await pause(200))
      if (Date.now() > until) throw new Error("the broker does not answer");
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #settings(): string {
    return join(this.#folder, "server.properties");
  }

  get #classes(): string {
    return join(this.#jars, "*");
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
