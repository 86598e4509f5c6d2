import { connect, createServer, type Server, type Socket } from "node:net";

/** What a wire does to what goes through it. */
export type Weather =
  | "clear"
  /** Nothing passes, nothing is said. */
  | "silent"
  /** Each piece waits a little. */
  | "slow";

/** A TCP proxy, on loopback in front of a port, whose connections can be slowed, silenced and cut. */
export class Wire {
  weather: Weather = "clear";
  /** Bytes that have come, in both directions. */
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

  static start(target: number): Promise<Wire> {
    const wire = new Wire(target);
    return new Promise((resolve) => {
      wire.#server.listen(0, "127.0.0.1", () => {
        wire.#port = (wire.#server.address() as { port: number }).port;
        resolve(wire);
      });
    });
  }

  get port(): number {
    return this.#port;
  }

  /** Cuts every connection, in the middle of whatever it carries. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(piece: Buffer, from: Socket, to: Socket): void {
    this.passed += piece.length;
    if (this.weather === "clear") {
      to.write(piece);
      return;
    }
    from.pause();
    const look = (): void => {
      if (to.destroyed) return;
      if (this.weather === "silent") {
        setTimeout(look, 20);
        return;
      }
      to.write(piece);
      from.resume();
    };
    setTimeout(look, this.weather === "slow" ? 30 : 20);
  }
}
