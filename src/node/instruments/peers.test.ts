import { expect, it } from "vitest";
import { Metrics } from "../../platform/telemetry/metrics.ts";
import { createPeerMeters } from "./peers.ts";

function readings(metrics: Metrics): Record<string, number> {
  const values = [...metrics.readings()].map(([name, reading]) => {
    if (reading.kind === "meter") return [name, reading.rate.total];
    return [name, reading.kind === "gauge" ? reading.value : Number.NaN];
  });
  return Object.fromEntries(values);
}

it("counts messages under the reference's names, and others under names of their own as well", () => {
  const metrics = new Metrics({ now: () => 0, elapsed: () => 0 });
  const { messages, traffic } = createPeerMeters(metrics);
  messages.received("newBlock", 100);
  messages.received("newBlock", 20);
  messages.sent("status", 7);
  messages.sent("bid", 5);
  traffic.received(300);
  traffic.sent(30);
  expect(readings(metrics)).toEqual({
    "klay/prop/blocks/in/packets": 2,
    "klay/prop/blocks/in/traffic": 120,
    "klay/misc/out/packets": 2,
    "klay/misc/out/traffic": 12,
    "p2p/messages/status/out/packets": 1,
    "p2p/messages/status/out/traffic": 7,
    "p2p/messages/bid/out/packets": 1,
    "p2p/messages/bid/out/traffic": 5,
    "p2p/InboundTraffic": 300,
    "p2p/OutboundTraffic": 30,
  });
});

it("counts peers by direction and type", () => {
  const metrics = new Metrics({ now: () => 0, elapsed: () => 0 });
  const sessions = [
    { connectionType: 0, isInbound: true },
    { connectionType: 0, isInbound: false },
    { connectionType: 1, isInbound: true },
    { connectionType: 2, isInbound: true },
  ];
  createPeerMeters(metrics).watchSessions(() => sessions);
  expect(readings(metrics)).toMatchObject({
    "p2p/PeerCountGauge": 4,
    "p2p/PeerInCountGauge": 3,
    "p2p/PeerOutCountGauge": 1,
    "p2p/CNPeerCountGauge": 2,
    "p2p/ENPeerCountGauge": 1,
    "p2p/PNPeerCountGauge": 1,
  });
});
