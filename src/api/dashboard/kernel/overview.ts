import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Overview } from "../../rpc/spec/dashboard/wire.ts";

/** What the page learned of its node when it was opened. */
export const OverviewContext = createContext<Overview | undefined>(undefined);

/** What the page learned of its node when it was opened. @throws Error outside of screens */
export function useOverview(): Overview {
  const overview = useContext(OverviewContext);
  if (overview === undefined) throw new Error("no overview yet");
  return overview;
}
