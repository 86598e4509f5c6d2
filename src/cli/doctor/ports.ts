import { createServer } from "node:net";
import { doubtful, type Finding, good } from "./finding.ts";

/** A port that a node would listen on. */
export interface WantedPort {
  /** Shown to the user: `JSON-RPC over HTTP`. */
  readonly use: string;
  readonly host: string;
  readonly port: number;
  /** The flag that changes it. */
  readonly flag: string;
}

/** Whether ports are free. */
export async function checkPorts(ports: readonly WantedPort[]): Promise<Finding[]> {
  return Promise.all(
    ports.map(async ({ use, host, port, flag }) => {
      const reason = await listenError(host, port);
      const about = `port ${port}`;
      if (reason === undefined) return good(about, `free for ${use}`);
      const text = `${use} cannot listen on it: ${reason}`;
      return doubtful(
        about,
        text,
        `stop whatever listens there (a node that is already running?), or choose another port with --${flag}`,
      );
    }),
  );
}

function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
