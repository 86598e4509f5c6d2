import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { gkei, grouped } from "../kernel/format.ts";
import { useLive } from "../kernel/live.ts";
import { useOverview } from "../kernel/overview.ts";
import { go, usePath } from "../kernel/router.ts";
import type { Screen } from "../kernel/screen.ts";
import { screens } from "../screens/index.ts";
import { Spark } from "./charts/spark.tsx";
import { Tag } from "./text.tsx";

/** What surrounds every screen: the state of the node, the search and the menu. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <Top />
      <div class="frame">
        <Menu />
        {children}
      </div>
    </>
  );
}

function Top() {
  const { chainId, isDevelopment, ...overview } = useOverview();
  const { isConnected, height, blocks, samples } = useLive();
  const pool = samples.at(-1)?.values;
  const counts = blocks
    .slice(0, 30)
    .map(({ transactions }) => transactions)
    .reverse();
  const baseFee = blocks[0]?.baseFee ?? overview.baseFee;
  return (
    <header class="top">
      <a class="brand" href="#/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M16 3 21.5 12h-11zM11 13.500h10L26.500 22h-21zM5 23.500h22L30 29H2z" />
        </svg>
        kairn
      </a>
      <ul class="state" aria-label="State of the node">
        <li>
          chain {chainId} {isDevelopment && <Tag tone="warn">dev</Tag>}
        </li>
        <li class="height">#{grouped(height ?? overview.height)}</li>
        <li class="extra">
          <Spark values={counts} label="transactions in the latest blocks" />
        </li>
        <li class="extra">{gkei(BigInt(baseFee))}</li>
        <li class="extra">
          pool {pool?.[11] ?? overview.pending}/{pool?.[12] ?? overview.queued}
        </li>
        <li class="extra">peers {pool?.[13] ?? overview.peers}</li>
        <li>
          <Tag tone={isConnected ? "good" : "bad"}>{isConnected ? "● live" : "○ offline"}</Tag>
        </li>
      </ul>
      <Search />
      <Theme />
    </header>
  );
}

function Search() {
  const [text, setText] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== "") go(`/search/${encodeURIComponent(text.trim())}`);
    setText("");
  };
  return (
    <search>
      <form onSubmit={submit}>
        <input
          type="search"
          aria-label="Search by number, hash, address, selector or topic"
          placeholder="Number, hash, address…"
          value={text}
          spellcheck={false}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  );
}

/** Light or dark, overriding the system's preference until the page is closed. */
function Theme() {
  const [theme, setTheme] = useState<"light" | "dark">();
  const isDark =
    theme === undefined ? window.matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  useEffect(() => {
    if (theme !== undefined) document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return (
    <button
      type="button"
      class="theme"
      onClick={() => setTheme(isDark ? "light" : "dark")}
      aria-label={isDark ? "Light colours" : "Dark colours"}
      title={isDark ? "Light colours" : "Dark colours"}
    >
      {isDark ? "☀" : "☾"}
    </button>
  );
}

function Menu() {
  const path = usePath();
  const { methods } = useOverview();
  const [isOpen, setOpen] = useState(false);
  const entries = screens.filter(
    ({ menu, needs = [] }) => menu && needs.every((name) => methods.includes(name)),
  );
  return (
    <nav aria-label="Screens" class={isOpen ? "open" : ""}>
      <button type="button" class="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        ☰ Menu
      </button>
      <ul>
        {entries.map((entry) => (
          <li key={entry.path}>
            <a
              href={`#${entry.path}`}
              aria-current={isCurrent(entry, path) ? "page" : undefined}
              onClick={() => setOpen(false)}
            >
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d={entry.menu?.icon ?? ""} />
              </svg>
              {entry.menu?.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isCurrent({ path: own }: Screen, path: string): boolean {
  return own === "/" ? path === "/" : path === own || path.startsWith(`${own}/`);
}
