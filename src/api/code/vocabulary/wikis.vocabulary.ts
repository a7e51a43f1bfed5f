import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Pages of wikis. */
export const wikiWords: Vocabulary['entries'] = {
  slug: ['Slug of the page: the path of its file without the ending.', 'Guides/First-steps'],
  with_content: ['Also the text of each page.', true],
  render_html: ['The text as HTML instead of its source.', true],
  front_matter: ['What the block of YAML before the text says.', { title: 'First steps' }],
  wiki_page_meta_id: ['Number that the page keeps when it gets another name.', 7],
  link: ['How pages refer to the file.'],
};
