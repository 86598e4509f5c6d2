import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Nothing, Panel } from "./panel.tsx";

/** A column of a table. */
export interface TableColumn<T> {
  readonly name: string;
  readonly show: (row: T) => ComponentChildren;
  /** Whether it is right-aligned. */
  readonly isNumber?: boolean;
  /** Hidden on small screens. */
  readonly isExtra?: boolean;
}

interface TableProps<T> {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Shown if there are no rows. */
  readonly empty: string;
}

/** Rows under headings; scrolls if it is too wide. */
export function Table<T>({ caption, columns, rows, keyOf, empty }: TableProps<T>) {
  if (rows.length === 0) return <Nothing>{empty}</Nothing>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf({ isNumber, isExtra }: TableColumn<never>): string {
  return `${isNumber ? "number" : ""}${isExtra ? " extra" : ""}`;
}

/** A table that updates until it is paused. */
export function LiveTable<T>({
  title,
  rows,
  ...table
}: Omit<TableProps<T>, "caption"> & { readonly title: string }) {
  const [held, setHeld] = useState<readonly T[]>();
  const hold = (
    <button
      type="button"
      class="small"
      aria-pressed={held !== undefined}
      onClick={() => setHeld(held ? undefined : rows)}
    >
      {held ? "Resume" : "Pause"}
    </button>
  );
  return (
    <Panel title={title} actions={hold}>
      <Table {...table} caption={title} rows={held ?? rows} />
    </Panel>
  );
}
