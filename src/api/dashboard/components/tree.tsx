import type { ComponentChildren } from "preact";

/** A branch of a tree. */
export interface TreeItem {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly below: readonly TreeItem[];
  /** Whether it is closed initially. */
  readonly isClosed?: boolean;
}

/** A tree whose branches open and close. */
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
