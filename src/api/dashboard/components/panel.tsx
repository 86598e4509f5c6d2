import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { RefusedCall } from "../kernel/api.ts";
import { visible } from "../kernel/visible.ts";
import { Copy, Foreign } from "./text.tsx";

/** A part of a screen with its heading. @param actions - at the right of it */
export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Names and values; entries without a value are omitted. */
export function Facts({ entries }: { readonly entries: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {entries
        .filter(([, value]) => value !== undefined && value !== null && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A part that opens and closes; while it is closed, its content is not rendered. */
export function Details({
  summary,
  kind,
  children,
}: {
  readonly summary: ComponentChildren;
  readonly kind: string;
  readonly children: () => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class={kind} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Lines of JSON that are shown; all can be copied. */
const MAX_LINES = 2_000;

/** The JSON returned by the node. */
export function RawJson({ value, label = "Raw JSON" }: { readonly value: unknown; readonly label?: string }) {
  return (
    <Details summary={label} kind="raw">
      {() => <Json value={value} />}
    </Details>
  );
}

function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  const shown = text.split("\n", MAX_LINES).map((line) => visible(line, 2_000));
  return (
    <div class="raw-text">
      <Copy text={text} what="JSON" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0}>{shown.join("\n")}</pre>
    </div>
  );
}

/** What went wrong, and what to do about it. */
export function Problem({ error }: { readonly error: Error }) {
  const isLocked = error instanceof RefusedCall && error.status === 401;
  return (
    <p class="problem" role="alert">
      <Foreign
        text={
          isLocked ? "This needs the link with a token that the node prints when it starts." : error.message
        }
      />
    </p>
  );
}

/** How to get another link from a running node. */
export function NewLink() {
  return (
    <>
      For another link run <code>kairn attach --exec 'admin.dashboardLink()'</code> on the machine of the
      node, or call <code>node.dashboardLink()</code> in the program that embeds it.
    </>
  );
}

/** Shown while a response is awaited. */
export function Waiting() {
  return (
    <p class="waiting" aria-live="polite">
      Loading…
    </p>
  );
}

/** Shown for an empty list. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}
