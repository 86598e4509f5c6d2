import { createServer } from "node:net";

/** A port of this machine that is free now, for nodes that must be told where to listen before they start. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
