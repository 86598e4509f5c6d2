import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";
import type { DatagramSocket, Datagrams, OnDatagram, StreamAddress } from "../network.ts";

/** Prefix of an IPv4-mapped address on a dual-stack socket. */
const MAPPED = "::ffff:";

/** UDP of the machine. */
export const systemDatagrams: Datagrams = { open };

function open({ host, port }: StreamAddress, onDatagram: OnDatagram): Promise<DatagramSocket> {
  const isDual = host.includes(":");
  const socket = createSocket({ type: isDual ? "udp6" : "udp4" });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address: host, port, exclusive: true }, () => {
      socket.off("error", reject);
      socket.on("error", () => {}); // a packet that could not be sent is lost
      socket.on("message", (bytes, { address, port }) => onDatagram(bytes, { host: plain(address), port }));
      resolve({
        port: socket.address().port,
        send(bytes, to) {
          const address = isDual && isIPv4(to.host) ? MAPPED + to.host : to.host;
          // Failures go to the callback; without one they would end the process.
          socket.send(bytes, to.port, address, () => {});
        },
        close: () => new Promise((closed) => void socket.close(() => closed())),
      });
    });
  });
}

function plain(address: string): string {
  const rest = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : "";
  return isIPv4(rest) ? rest : address;
}
