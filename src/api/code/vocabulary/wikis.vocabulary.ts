import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by wikis. */
export const wikiWords: Vocabulary['entries'] = {
  slug: ['Slug of the page: the path of its file without the extension.', 'Guides/First-steps'],
  with_content: ['Include the content of each page.', true],
  render_html: ['Return the content as HTML instead of its source.', true],
  front_matter: ['Parsed YAML front matter.', { title: 'First steps' }],
  wiki_page_meta_id: ['Id that the page keeps when it is renamed.', 7],
  link: ['Links to the file.'],
};
