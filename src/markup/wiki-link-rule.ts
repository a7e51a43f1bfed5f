import type { MarkdownIt } from 'markdown-it';

const PICTURE = /\.(?:png|jpe?g|gif|svg|webp|bmp)$/i;

/** Maximum length of a link in double brackets. */
const MAX_LINK = 500;

/** `[[Page]]` and `[[text|page]]`, the links between wiki pages. */
export function wikiLinks(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('link', 'wiki_link', (state, silent) => {
    if (!state.src.startsWith('[[', state.pos)) return false;
    const near = state.src.slice(state.pos + 2, state.pos + MAX_LINK);
    const length = near.indexOf(']]');
    const inner = near.slice(0, Math.max(length, 0));
    if (inner.trim() === '' || /[[\n]/.test(inner)) return false;
    if (!silent) {
      const [text = '', page = text] = inner.split('|').map((part) => part.trim());
      const href = state.md.normalizeLink(page.replaceAll(' ', '-'));
      if (!state.md.validateLink(href)) return false;
      if (PICTURE.test(page)) {
        const image = state.push('image', 'img', 0);
        image.attrs = [
          ['src', href],
          ['alt', ''],
        ];
        image.content = text;
        image.children = [];
      } else {
        state.push('link_open', 'a', 1).attrs = [['href', href]];
        state.push('text', '', 0).content = text;
        state.push('link_close', 'a', -1);
      }
    }
    state.pos += length + 4;
    return true;
  });
}
