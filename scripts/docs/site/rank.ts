// The search of the site: runs in the reader's browser.

import type { Section } from "./render.ts";

/** Maximum number of results shown. */
const MOST_RESULTS = 20;
/** Weight of a word in the title, and of one in the text. */
const WEIGHT = { title: 10, start: 5, text: 1 };
const MOST_WORDS = 8;

/** Sections with every word of a query, best first. Words also match as prefixes. */
export function rank<S extends Section>(sections: readonly S[], query: string): readonly S[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
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
