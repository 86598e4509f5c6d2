import { expect, it } from "vitest";
import { dashboardLine, forkSchedule, startLine } from "./start-line.ts";

const forks = { istanbul: 0n, london: 0n, kaia: 100n, prague: 200n, osaka: 300n };

it.each([
  [0n, "london, kaia at 100, prague at 200, osaka at 300"],
  [99n, "london, kaia at 100, prague at 200, osaka at 300"],
  [100n, "kaia, prague at 200, osaka at 300"],
  [300n, "osaka"],
])("the fork schedule at block %s", (head, text) => {
  expect(forkSchedule(forks, head)).toBe(text);
  expect(forkSchedule({}, head)).toBe("none");
});

it("a node prints version, chain, head, forks, role, folder and listeners in one line", () => {
  const chain = { config: { chainId: 1001n, forks }, head: { header: { number: 100n } } };
  const node = { chain, endpoints: { http: "http://127.0.0.1:8551" }, role: "endpoint node" };
  expect(startLine(node as never, "/data")).toMatch(
    /^kairn: version [0-9][^ ]*, chain 1001, block 100, forks kaia, prague at 200, osaka at 300, endpoint node, data in \/data, listening on http:\/\/127\.0\.0\.1:8551$/,
  );
});

it("a node prints its dashboard's link to a terminal, and elsewhere only how to get one", () => {
  const dashboard = "http://127.0.0.1:9551/";
  const node = { endpoints: { dashboard }, dashboardLink: () => `${dashboard}#token=ab` };
  expect(dashboardLine(node, "/data", true)).toBe(`kairn: dashboard ${dashboard}#token=ab`);
  const line = dashboardLine(node, "/data", false);
  expect(line).toContain(`${dashboard}; kairn attach --datadir /data --exec 'admin.dashboardLink()'`);
  expect(line).not.toContain("token");
  expect(dashboardLine({ ...node, endpoints: {} }, "/data", true)).toBeUndefined();
});
