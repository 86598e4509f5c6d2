import type { PeerNetwork } from "../../network/p2p/peers/peer-network.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { DEFAULT_PEER_PORT } from "../options/chain/network.ts";

/** The port for peers belongs to another program. */
export class PeerPortError extends NodeError<"PEER_PORT"> {
  override name = "PeerPortError";
}

/** Where peers connect and packets arrive. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens the TCP port for peers. If the default port is in use, perhaps by another node of this machine, any free one
 * is taken instead; a port that was asked for is not replaced.
 * @throws PeerPortError
 */
export async function listenForPeers(
  network: PeerNetwork,
  { host, port }: PeerAddress,
  logger: Logger,
): Promise<void> {
  try {
    await network.listen(host, port);
  } catch (error) {
    if (!isTaken(error) || port !== DEFAULT_PEER_PORT) throw portError(error, { host, port }, "TCP");
    await network.listen(host, 0);
    logger.warn("the port for peers is in use; another was chosen", { wanted: port, port: network.port });
  }
}

/** What to say when a port could not be opened: names the flag when another program has the port. */
export function portError(
  error: unknown,
  { host, port }: PeerAddress,
  transport: "TCP" | "UDP",
  flag = "--port",
): unknown {
  if (!isTaken(error)) return error;
  return new PeerPortError("PEER_PORT", `${flag} ${port}: the ${transport} port is in use on ${host}`, {
    host,
    port,
  });
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}
