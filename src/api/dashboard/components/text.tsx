import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { dateTime, duration, gkei, grouped, kaia, shortened } from "../kernel/format.ts";
import { visible } from "../kernel/visible.ts";

/** Untrusted text, from the chain, a caller or a file; invisible characters are escaped. */
export function Foreign({ text, maxLength }: { readonly text: string; readonly maxLength?: number }) {
  return <span class="foreign">{visible(text, maxLength)}</span>;
}

/** A button that copies a text. @param what - names the text for screen readers */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = window.setTimeout(() => setDone(false), 1500);
    return () => window.clearTimeout(timer);
  }, [isDone]);
  const copy = (): void => {
    void navigator.clipboard?.writeText(text).then(() => setDone(true));
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`copy ${what}`} title={`copy ${what}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={isDone ? "M3 8.500 6.500 12 13 4.500" : "M5.500 5.500h7v8h-7zM3.500 10.500h-1v-8h7v1"} />
      </svg>
      <span class="unseen" aria-live="polite">
        {isDone ? "copied" : ""}
      </span>
    </button>
  );
}

interface HexProps {
  readonly value: string;
  /** All digits rather than an abbreviation. */
  readonly isWhole?: boolean;
}

/** An address, linked to its account. @param name - shown instead, such as a contract's */
export function Address({ value, isWhole = false, name }: HexProps & { readonly name?: string | null }) {
  return (
    <span class={isWhole ? "hex whole" : "hex"}>
      <a href={`#/accounts/${value}`} title={value}>
        {name ? <Foreign text={name} maxLength={60} /> : isWhole ? value : shortened(value)}
      </a>
      <Copy text={value} what="address" />
    </span>
  );
}

/** A hash. @param to - path of the link */
export function Hash({ value, isWhole = false, to }: HexProps & { readonly to?: string }) {
  const text = isWhole ? value : shortened(value);
  return (
    <span class={isWhole ? "hex whole" : "hex"}>
      {to === undefined ? (
        <span title={value}>{text}</span>
      ) : (
        <a href={`#${to}`} title={value}>
          {text}
        </a>
      )}
      <Copy text={value} what="hash" />
    </span>
  );
}

/** The hash of a transaction, linked to it. */
export function TransactionHash(props: HexProps) {
  return <Hash {...props} to={`/transactions/${props.value}`} />;
}

/** The number of a block, linked to it. */
export function BlockNumber({ value }: { readonly value: number }) {
  return <a href={`#/blocks/${value}`}>#{grouped(value)}</a>;
}

/** Bytes as hex, in a scrollable area. */
export function Bytes({ value, what }: { readonly value: string; readonly what: string }) {
  const size = Math.max(0, (value.length - 2) / 2);
  if (size === 0) return <span class="muted">none</span>;
  return (
    <span class="bytes">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <code tabIndex={0}>{value.length > 20_000 ? `${value.slice(0, 20_000)}…` : value}</code>
      <span class="muted">
        {grouped(size)} bytes <Copy text={value} what={what} />
      </span>
    </span>
  );
}

/** An amount of KAIA; the tooltip shows the exact kei. */
export function Amount({ kei }: { readonly kei: bigint }) {
  return (
    <span class="amount" title={`${grouped(kei)} kei`}>
      {kaia(kei, 6)}
    </span>
  );
}

/** A price per gas. */
export function GasPrice({ kei }: { readonly kei: bigint }) {
  return <span class="amount">{gkei(kei)}</span>;
}

/** How long ago; the tooltip shows the time. @param time - seconds since 1970 */
export function Ago({ time }: { readonly time: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const seconds = now / 1000 - time;
  const text = seconds < 0 ? `in ${duration(-seconds)}` : `${duration(seconds)} ago`;
  return <time title={`${dateTime(time)} UTC`}>{text}</time>;
}

/** The meaning of a tag's colour. */
export type Tone = "plain" | "good" | "bad" | "warn" | "info";

/** A short label in a frame. */
export function Tag({
  tone = "plain",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`tag ${tone}`}>{children}</span>;
}

/** Whether something is in order, in words, not by colour alone. */
export function YesNo({ ok, yes, no }: { readonly ok: boolean; readonly yes: string; readonly no: string }) {
  return <Tag tone={ok ? "good" : "bad"}>{ok ? `✓ ${yes}` : `✕ ${no}`}</Tag>;
}
