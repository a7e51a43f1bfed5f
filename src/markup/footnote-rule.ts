import type { MarkdownIt, Token } from 'markdown-it';
import footnote from 'markdown-it-footnote';
import { ID_PREFIX } from './heading-anchors.ts';

interface Numbered {
  id: number;
  subId: number;
}

const metaOf = (token: Token | undefined): Numbered => token!.meta as unknown as Numbered;
const numberOf = (token: Token | undefined): string => {
  const { id, subId } = metaOf(token);
  return subId > 0 ? `${id + 1}-${subId}` : `${id + 1}`;
};

/** Footnotes, with ids that begin as all of a text do. */
export function footnotes(markdown: MarkdownIt): void {
  markdown.use(footnote as unknown as (md: MarkdownIt) => void);
  // Notes in the middle of a sentence are no part of the dialect, and nested ones take for ever.
  markdown.inline.ruler.disable('footnote_inline');
  const { rules } = markdown.renderer;
  // `own` begins the names of attributes that no HTML of the text may have.
  const own = (env: unknown): string => (env as { own?: string }).own ?? '';
  rules.footnote_ref = (tokens, index, _options, env) => {
    const [note, place] = [metaOf(tokens[index]).id + 1, numberOf(tokens[index])];
    const link = `<a href="#${ID_PREFIX}fn-${note}" ${own(env)}id="${ID_PREFIX}fnref-${place}">${note}</a>`;
    return `<sup ${own(env)}class="footnote-ref">${link}</sup>`;
  };
  rules.footnote_block_open = (_tokens, _index, _options, env) =>
    `<section ${own(env)}class="footnotes" ${own(env)}data-footnotes>\n<ol>\n`;
  rules.footnote_open = (tokens, index, _options, env) =>
    `<li ${own(env)}id="${ID_PREFIX}fn-${metaOf(tokens[index]).id + 1}">`;
  rules.footnote_anchor = (tokens, index, _options, env) =>
    ` <a href="#${ID_PREFIX}fnref-${numberOf(tokens[index])}" ${own(env)}class="footnote-backref">\u21a9</a>`;
}
