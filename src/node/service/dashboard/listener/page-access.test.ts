import { expect, it } from "vitest";
import { Registry } from "../../../../api/rpc/engine/registry.ts";
import { dashboardNamespaces, dashboardSubscriptions } from "../../../../api/rpc/spec/dashboard/dashboard.ts";
import { type DeskParts, deskMethods } from "../desk-methods.ts";
import { type PageMethodParts, pageEvents, pageMethods } from "../methods.ts";
import { pageAccess } from "./page-access.ts";

/** Nothing is called here. */
const parts = {} as PageMethodParts;

function access(isExposed: boolean) {
  const own = new Registry()
    .serve(dashboardNamespaces, {
      dashboard: pageMethods(parts),
      ...deskMethods(parts as unknown as DeskParts),
    })
    .addSubscriptions("dashboard", dashboardSubscriptions, pageEvents(parts));
  return pageAccess(new Registry(), own, { isReadOnly: false, isExposed });
}

it.each([
  { isExposed: false, sees: true },
  { isExposed: true, sees: false },
])("shows the log to readers without a session: $sees where exposed is $isExposed", ({ isExposed, sees }) => {
  const { reader, readerEvents, session, events } = access(isExposed);
  expect([reader.methods.has("dashboard_logLines"), readerEvents.subscriptions.has("dashboard log")]).toEqual(
    [sees, sees],
  );
  expect([session.methods.has("dashboard_logLines"), events.subscriptions.has("dashboard log")]).toEqual([
    true,
    true,
  ]);
  expect([reader.methods.has("dashboard_blocks"), readerEvents.subscriptions.has("dashboard live")]).toEqual([
    true,
    true,
  ]);
});

it("signs nothing for other machines, or without a session", () => {
  const [near, far] = [access(false), access(true)];
  for (const name of ["dashboard_addSignature", "dashboard_publicKey", "dashboard_draft"]) {
    const who = [near.session, near.reader, far.session, far.reader];
    expect(who.map(({ methods }) => methods.has(name))).toEqual([true, false, false, false]);
  }
});
