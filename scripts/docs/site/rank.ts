// The search of the site: runs in the browser.

import type { Section } from "./render.ts";

/** Maximum number of results shown. */
const MAX_RESULTS = 20;
/** Weights of a match in the title, at its start, and in the text. */
const WEIGHT = { title: 10, start: 5, text: 1 };
const MAX_WORDS = 8;

/** Sections with every word of a query, best first. Words also match as prefixes. */
export function rank<S extends Section>(sections: readonly S[], query: string): readonly S[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ section }) => section);
}

/** 0 unless every word occurs. */
function scoreOf({ title, text }: Section, words: readonly string[]): number {
  const [head, body] = [title.toLowerCase(), text.toLowerCase()];
  let score = 0;
  for (const word of words) {
    const inHead = head.indexOf(word);
    const inBody = body.indexOf(word);
    if (inHead < 0 && inBody < 0) return 0;
    if (inHead >= 0) score += WEIGHT.title + (inHead === 0 ? WEIGHT.start : 0);
    if (inBody >= 0) score += WEIGHT.text;
  }
  return score;
}
