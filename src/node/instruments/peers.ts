import { ConnectionType } from "../../network/p2p/session/open-session.ts";
import type { PeerSession } from "../../network/p2p/session/session.ts";
import type { Traffic } from "../../network/p2p/session/traffic.ts";
import type { MessageName } from "../../network/protocol/chain-messages.ts";
import type { MessageWatch } from "../../network/sync/message-watch.ts";
import type { Meter, Metrics } from "../../platform/telemetry/metrics.ts";

/** The reference's names of messages. It lumps all others together as `klay/misc`; here they have names of their own as well. */
const REFERENCE_NAMES: Partial<Record<MessageName, string>> = {
  transactions: "klay/prop/txns",
  newBlockHashes: "klay/prop/hashes",
  newBlock: "klay/prop/blocks",
  headers: "klay/req/headers",
  bodies: "klay/req/bodies",
  nodeData: "klay/req/states",
  receipts: "klay/req/receipts",
  consensus: "klay/prop/consensus/istanbul",
};

/** Metrics of peers and of their traffic. */
export interface PeerMeters {
  readonly traffic: Traffic;
  readonly messages: MessageWatch;
  /** Exposes the number of peers by direction and type. */
  watchSessions(sessions: () => Iterable<Pick<PeerSession, "connectionType" | "isInbound">>): void;
}

/** Counts connections, bytes and messages of peers. */
export function createPeerMeters(metrics: Metrics): PeerMeters {
  const inbound = metrics.meter("p2p/InboundTraffic");
  const outbound = metrics.meter("p2p/OutboundTraffic");
  const counted = new Map<string, readonly { readonly packets: Meter; readonly traffic: Meter }[]>();
  const metersOf = (name: MessageName, direction: "in" | "out") => {
    const key = `${name}/${direction}`;
    const known = counted.get(key);
    if (known !== undefined) return known;
    const reference = REFERENCE_NAMES[name];
    const names = reference === undefined ? ["klay/misc", `p2p/messages/${name}`] : [reference];
    const meters = names.map((place) => ({
      packets: metrics.meter(`${place}/${direction}/packets`),
      traffic: metrics.meter(`${place}/${direction}/traffic`),
    }));
    counted.set(key, meters);
    return meters;
  };
  const count = (name: MessageName, direction: "in" | "out", bytes: number) => {
    for (const { packets, traffic } of metersOf(name, direction)) {
      packets.mark();
      traffic.mark(bytes);
    }
  };
  return {
    traffic: { received: (bytes) => inbound.mark(bytes), sent: (bytes) => outbound.mark(bytes) },
    messages: {
      received: (name, bytes) => count(name, "in", bytes),
      sent: (name, bytes) => count(name, "out", bytes),
    },
    watchSessions(sessions) {
      const gauge = (
        name: string,
        counts: (session: Pick<PeerSession, "connectionType" | "isInbound">) => boolean,
      ) => metrics.gauge(`p2p/${name}`, () => [...sessions()].filter(counts).length);
      gauge("PeerCountGauge", () => true);
      gauge("PeerInCountGauge", ({ isInbound }) => isInbound);
      gauge("PeerOutCountGauge", ({ isInbound }) => !isInbound);
      gauge("CNPeerCountGauge", ({ connectionType }) => connectionType === ConnectionType.cn);
      gauge("PNPeerCountGauge", ({ connectionType }) => connectionType === ConnectionType.pn);
      gauge("ENPeerCountGauge", ({ connectionType }) => connectionType === ConnectionType.en);
    },
  };
}
