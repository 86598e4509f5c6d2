import { once } from "node:events";
import { connect as connectPlain, createServer, type Socket } from "node:net";
import { type ConnectionOptions, connect } from "node:tls";

/** What a TLS client with these options sends first: a ClientHello. */
export async function firstBytes(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  const client = connect({ ...options, socket: connectPlain(port, "127.0.0.1") }).on("error", () => {});
  const [accepted] = (await once(server, "connection")) as [Socket];
  const [bytes] = (await once(accepted, "data")) as [Buffer];
  client.destroy();
  accepted.destroy();
  server.close();
  return bytes;
}
