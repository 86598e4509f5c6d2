import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Overview } from "../../rpc/spec/dashboard/wire.ts";

/** What the page knows of its node since it was opened. */
export const OverviewContext = createContext<Overview | undefined>(undefined);

/** What the page knows of its node since it was opened. @throws Error outside screens */
export function useOverview(): Overview {
  const overview = useContext(OverviewContext);
  if (overview === undefined) throw new Error("no overview yet");
  return overview;
}
