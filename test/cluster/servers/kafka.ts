import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../e2e/free-port.ts";
import { type Certificate, makeCertificate } from "./certificates.ts";
import { isOpen, TestServer } from "./server.ts";

/** How clients authenticate. */
export interface KafkaAccess {
  /** TLS with a self-signed certificate, and SCRAM-SHA-512 with the user `kairn` and the password `secret`. */
  readonly isProtected: boolean;
}

/** A Kafka broker in KRaft mode on loopback, from a folder of jars. */
export class Kafka {
  readonly port: number;
  readonly certificate: Certificate | undefined;
  readonly #server: TestServer;

  private constructor(port: number, server: TestServer, certificate: Certificate | undefined) {
    this.port = port;
    this.#server = server;
    this.certificate = certificate;
  }

  /** @param jars - folder of `kafka_2.13` and its dependencies */
  static async start(jars: string, { isProtected }: KafkaAccess = { isProtected: false }): Promise<Kafka> {
    const port = await freePort();
    const controller = await freePort();
    const classes = join(jars, "*");
    const server: TestServer = new TestServer("kafka", () => ({
      program: "java",
      args: ["-Xmx400m", "-cp", classes, "kafka.Kafka", properties],
      isReady: () => isOpen(port),
    }));
    const properties = join(server.folder, "server.properties");
    const certificate = isProtected ? makeCertificate(server.folder) : undefined;
    const listener = isProtected ? "SASL_SSL" : "PLAINTEXT";
    const settings = {
      "process.roles": "broker,controller",
      "node.id": 1,
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      listeners: `CLIENTS://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
      "advertised.listeners": `CLIENTS://127.0.0.1:${port}`,
      "controller.listener.names": "CONTROLLER",
      "inter.broker.listener.name": "CLIENTS",
      "listener.security.protocol.map": `CLIENTS:${listener},CONTROLLER:PLAINTEXT`,
      "log.dirs": join(server.folder, "data"),
      "offsets.topic.replication.factor": 1,
      "offsets.topic.num.partitions": 1,
      "group.initial.rebalance.delay.ms": 0,
      "auto.create.topics.enable": false,
      ...(certificate && protection(certificate, server)),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(properties, lines.join(""));
    server.give(properties);
    const user = isProtected ? ["-S", "SCRAM-SHA-512=[name=kairn,password=secret]"] : [];
    const id = randomBytes(16).toString("base64url");
    const format = ["kafka.tools.StorageTool", "format", "-t", id, "-c", properties, ...user];
    execFileSync("java", ["-cp", classes, ...format], { stdio: "pipe", cwd: server.folder, ...server.user });
    const kafka = new Kafka(port, server, certificate);
    await kafka.launch();
    return kafka;
  }

  get broker(): string {
    return `127.0.0.1:${this.port}`;
  }

  launch(): Promise<void> {
    return this.#server.launch();
  }

  end(signal: NodeJS.Signals): Promise<void> {
    return this.#server.end(signal);
  }

  remove(): Promise<void> {
    return this.#server.remove();
  }
}

/** The broker reads its certificate from one file, key first. */
function protection({ key, certificate }: Certificate, server: TestServer): Readonly<Record<string, string>> {
  const store = join(server.folder, "broker.p12");
  const args = [
    "pkcs12",
    "-export",
    "-in",
    certificate,
    "-inkey",
    key,
    "-out",
    store,
    "-passout",
    "pass:secret",
  ];
  execFileSync("openssl", args, { stdio: "pipe" });
  server.give(store);
  const scram = "org.apache.kafka.common.security.scram.ScramLoginModule";
  return {
    "ssl.keystore.type": "PKCS12",
    "ssl.keystore.location": store,
    "ssl.keystore.password": "secret",
    "ssl.key.password": "secret",
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": certificate,
    "sasl.enabled.mechanisms": "SCRAM-SHA-512",
    "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-512",
    "listener.name.clients.scram-sha-512.sasl.jaas.config": `${scram} required username="kairn" password="secret";`,
  };
}
