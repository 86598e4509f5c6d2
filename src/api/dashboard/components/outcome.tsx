import type { Action } from "../kernel/use-action.ts";
import { Problem } from "./panel.tsx";
import { Foreign } from "./text.tsx";

/** The result of an action: its message, or why it failed. */
export function Outcome({ action: { error, said } }: { readonly action: Action }) {
  if (error) return <Problem error={error} />;
  return (
    <p class={said === undefined ? "unseen" : "done"} role="status">
      {said !== undefined && <Foreign text={said} />}
    </p>
  );
}
