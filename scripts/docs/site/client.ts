// Runs in the browser: the search box. The index is a script, so that the site also works from a local folder.

/// <reference lib="dom" />
import { rank } from "./rank.ts";
import type { Section } from "./render.ts";

declare global {
  /** Set by `search-index.js`. */
  var kairnSections: readonly Section[] | undefined;
}

const box = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLElement>("#results");
const root = document.documentElement.dataset["root"] ?? "";

if (box && list) {
  const show = (): void => {
    list.replaceChildren(...rank(globalThis.kairnSections ?? [], box.value).map(result));
    list.hidden = box.value.trim() === "";
  };
  box.addEventListener("focus", () => load(show), { once: true });
  box.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    }
    if (event.key === "Escape") {
      box.value = "";
      show();
    }
  });
}

function load(then: () => void): void {
  const script = document.createElement("script");
  script.src = `${root}search-index.js`;
  script.addEventListener("load", then);
  document.head.append(script);
}

function result({ page, anchor, title, text }: Section): HTMLElement {
  const link = document.createElement("a");
  link.href = `${root}${page}${anchor === "" ? "" : `#${anchor}`}`;
  const head = document.createElement("b");
  head.textContent = title;
  const rest = document.createElement("span");
  rest.textContent = text.slice(0, 140);
  link.append(head, rest);
  return link;
}
