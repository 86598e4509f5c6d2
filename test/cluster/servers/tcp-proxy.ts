import { connect, createServer, type Server, type Socket } from "node:net";

/** What a proxy does to its traffic. */
export type ProxyMode =
  | "clear"
  /** Nothing passes; connections stay open. */
  | "silent"
  /** Each chunk is delayed a little. */
  | "slow";

/** A TCP proxy, on loopback in front of a port, whose connections can be slowed, stalled and cut. */
export class TcpProxy {
  mode: ProxyMode = "clear";
  /** Bytes received, in both directions. */
  passed = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.on("data", (piece) => this.#pass(piece, from, to));
      }
    });
  }

  static start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    return new Promise((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", () => {
        proxy.#port = (proxy.#server.address() as { port: number }).port;
        resolve(proxy);
      });
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Resets all connections, even in the middle of a message. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(piece: Buffer, from: Socket, to: Socket): void {
    this.passed += piece.length;
    if (this.mode === "clear") {
      to.write(piece);
      return;
    }
    from.pause();
    const look = (): void => {
      if (to.destroyed) return;
      if (this.mode === "silent") {
        setTimeout(look, 20);
        return;
      }
      to.write(piece);
      from.resume();
    };
    setTimeout(look, this.mode === "slow" ? 30 : 20);
  }
}
