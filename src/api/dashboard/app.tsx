import { Component, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LogLine } from "../rpc/spec/dashboard/wire.ts";
import { Frame } from "./components/frame.tsx";
import { NewLink, Nothing, Panel, Problem } from "./components/panel.tsx";
import { SignIn } from "./components/sign-in.tsx";
import { hasSession, onSession, RefusedCall } from "./kernel/api.ts";
import { closeStream, type Known, openStream } from "./kernel/live.ts";
import { node } from "./kernel/node.ts";
import { OverviewContext, useOverview } from "./kernel/overview.ts";
import { match, usePath } from "./kernel/router.ts";
import { useCall } from "./kernel/use-call.ts";
import { screens } from "./screens/index.ts";

/** Delay before a node that did not respond is queried again. */
const RETRY_MS = 2_000;

/** The whole page: the frame, and the screen selected by the URL. */
export function App() {
  const [round, setRound] = useState(0);
  useEffect(() => onSession(() => setRound((before) => before + 1)), []);
  const { data, error, reload } = useCall(() => node.overview(), `overview ${round} ${hasSession()}`);
  const [overview, setOverview] = useState(data);
  useEffect(() => {
    if (data === undefined) return;
    setOverview(data);
    openStream(data, async (isBack) => {
      const newest = await node.overview();
      setOverview(newest);
      return isBack ? { ...newest, ...(await otherLists()) } : newest;
    });
  }, [data]);
  const isRefused = error instanceof RefusedCall && error.status === 401;
  useEffect(() => {
    if (isRefused) closeStream();
  }, [isRefused]);
  useEffect(() => {
    if (error === undefined || isRefused) return;
    const timer = window.setTimeout(reload, RETRY_MS);
    return () => window.clearTimeout(timer);
  }, [error, isRefused, reload]);
  if (isRefused) return <SignIn />;
  if (error !== undefined) return <Unreachable error={error} />;
  if (data === undefined || overview === undefined) return <p class="waiting first">Loading…</p>;
  return (
    <OverviewContext.Provider value={overview}>
      <Frame>
        <CurrentScreen />
      </Frame>
    </OverviewContext.Provider>
  );
}

/** What the stream updates besides the chain. */
async function otherLists(): Promise<Pick<Known, "samples" | "lines">> {
  const [samples, lines] = await Promise.all([node.samples(), logLines()]);
  return { samples, lines };
}

/** The log, which is not available from other machines. */
function logLines(): Promise<readonly LogLine[]> {
  return node.logLines().catch(() => []);
}

/** Shown while the node does not respond, or responds with an error. */
function Unreachable({ error }: { readonly error: Error }) {
  return (
    <main class="sign-in" id="main">
      <h1>kairn</h1>
      <Problem error={error} />
      <p class="muted" role="status">
        Retrying every few seconds.
      </p>
    </main>
  );
}

function CurrentScreen() {
  const path = usePath();
  const found = screens.flatMap((one) => {
    const params = match(one.path, path);
    return params === undefined ? [] : [{ ...one, params }];
  })[0];
  const { methods } = useOverview();
  const missing = found?.needs?.filter((name) => !methods.includes(name)) ?? [];
  const title =
    typeof found?.title === "function" ? found.title(found.params) : (found?.title ?? "Not found");
  useEffect(() => {
    document.title = `${title} · kairn`;
    window.scrollTo(0, 0);
  }, [title]);
  return (
    <main id="main" tabIndex={-1}>
      <h1>{title}</h1>
      <Boundary key={path}>
        {found === undefined ? (
          <Nothing>There is no such page.</Nothing>
        ) : missing.length > 0 ? (
          <Locked />
        ) : (
          <found.component params={found.params} />
        )}
      </Boundary>
    </main>
  );
}

/** Shown if this page may not use a screen, or the node does not offer it. */
function Locked() {
  return (
    <Panel title="Not available">
      <Nothing>
        This screen changes something, uses keys, or needs a development chain. Open it with the link that the
        node prints when it starts. <NewLink />
      </Nothing>
    </Panel>
  );
}

/** Isolates a failing screen from the rest of the page. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly error?: Error }> {
  override state: { error?: Error } = {};

  static override getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render() {
    return this.state.error ? <Problem error={this.state.error} /> : this.props.children;
  }
}
