import { useEffect } from "preact/hooks";
import type { Found } from "../../rpc/spec/dashboard/wire.ts";
import { Nothing, Panel, Problem, Waiting } from "../components/panel.tsx";
import { Copy, Foreign, Tag } from "../components/text.tsx";
import { node } from "../kernel/node.ts";
import { go, type Params } from "../kernel/router.ts";
import { screen } from "../kernel/screen.ts";
import { useCall } from "../kernel/use-call.ts";

/** Finds what a number, hash, address, selector or topic refers to. */
export const search = screen({
  path: "/search/:text",
  title: "Search",
  component: Search,
});

const PATHS = { block: "/blocks/", transaction: "/transactions/", account: "/accounts/" } as const;

function Search({ params }: { readonly params: Params }) {
  const text = params["text"] ?? "";
  const { data, error } = useCall(() => node.search(text), `search ${text}`);
  const only = data?.length === 1 ? data[0] : undefined;
  const path = only && pathOf(only);
  useEffect(() => {
    if (path !== undefined) go(path);
  }, [path]);
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Waiting />;
  if (data.length === 0)
    return (
      <Nothing>
        Nothing found for “<Foreign text={text} maxLength={200} />
        ”. You can search for a block number, the hash of a block or transaction, an address, a 4-byte
        selector or the topic of an event.
      </Nothing>
    );
  return (
    <Panel title="Found">
      <ul class="found">
        {data.map((found) => (
          <li key={found.id}>
            <Tag>{found.kind}</Tag>{" "}
            {pathOf(found) === undefined ? (
              <Foreign text={found.text} />
            ) : (
              <a href={`#${pathOf(found)}`}>{found.text}</a>
            )}{" "}
            <code>{found.id}</code>
            <Copy text={found.id} what={found.kind} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function pathOf({ kind, id }: Found): string | undefined {
  return kind === "function" || kind === "event" ? undefined : PATHS[kind] + id;
}
