import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** A page in a list. */
export const WikiPageBasic = Type.Object({
  format: Type.String({
    description:
      '`markdown`, `rdoc`, `asciidoc` or `org`; pushes can add `textile`, `creole`, `rest`, `mediawiki`, `pod` and `plaintext`.',
  }),
  slug: Type.String({ description: 'Path of the file of the page, without its extension.' }),
  title: Type.String({ description: 'File name with spaces instead of hyphens.' }),
  wiki_page_meta_id: Nullable(
    Type.Integer({
      description: 'Id that the page keeps when it is renamed; null for pages of very large pushes.',
    }),
  ),
});

/** A page with its content. */
export const WikiPage = Type.Object({
  ...WikiPageBasic.properties,
  content: Type.String({ description: 'Source with its front matter, or HTML on request.' }),
  encoding: Type.String({ description: 'UTF-8.' }),
  front_matter: Type.Object({}, { additionalProperties: true, description: 'Parsed YAML front matter.' }),
});

export const WikiAttachment = Type.Object({
  file_name: Type.String(),
  file_path: Type.String({ description: 'Path of the file in the wiki repository.' }),
  branch: Type.String(),
  link: Type.Object({
    url: Type.String({ description: 'URL relative to the wiki.' }),
    markdown: Type.String({ description: 'Markdown that embeds or links the file.' }),
  }),
});
