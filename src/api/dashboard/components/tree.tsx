import type { ComponentChildren } from "preact";

/** A branch of a tree. */
export interface TreeItem {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly below: readonly TreeItem[];
  /** Whether it begins closed. */
  readonly isClosed?: boolean;
}

/** Things within things, each of which opens and closes. */
export function Tree({
  label,
  branches,
}: {
  readonly label: string;
  readonly branches: readonly TreeItem[];
}) {
  return (
    <ul class="tree" aria-label={label}>
      {branches.map(({ key, label, below, isClosed = false }) => (
        <li key={key}>
          {below.length === 0 ? (
            <div class="leaf">{label}</div>
          ) : (
            <details open={!isClosed}>
              <summary>{label}</summary>
              <Tree label="below" branches={below} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
