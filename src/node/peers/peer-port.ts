import type { PeerNetwork } from "../../network/p2p/peers/peer-network.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { DEFAULT_PEER_PORT } from "../options/chain/network.ts";

/** The peer port is in use by another program. */
export class PeerPortError extends NodeError<"PEER_PORT"> {
  override name = "PeerPortError";
}

/** Address for TCP and UDP. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens the TCP port for peers. If the default port is in use, perhaps by another node on this machine, any free one is used instead; an
 * explicitly configured port is never replaced.
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
    if (!isAddressInUse(error) || port !== DEFAULT_PEER_PORT) throw portError(error, { host, port }, "TCP");
    await network.listen(host, 0);
    logger.warn("the port for peers is in use; another was chosen", { wanted: port, port: network.port });
  }
}

/** The error for a port that could not be opened; names the flag if the port is in use. */
export function portError(
  error: unknown,
  { host, port }: PeerAddress,
  transport: "TCP" | "UDP",
  flag = "--port",
): unknown {
  if (!isAddressInUse(error)) return error;
  return new PeerPortError("PEER_PORT", `${flag} ${port}: the ${transport} port is in use on ${host}`, {
    host,
    port,
  });
}

function isAddressInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}
