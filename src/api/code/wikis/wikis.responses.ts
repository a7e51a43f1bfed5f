import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** A page in a list. */
export const WikiPageBasic = Type.Object({
  format: Type.String({
    description: 'markdown, rdoc, asciidoc or org; textile, creole, rest, mediawiki, pod and plaintext come by pushes.',
  }),
  slug: Type.String({ description: 'Path of the file of the page, without its ending.' }),
  title: Type.String({ description: 'Name of the file with spaces for hyphens.' }),
  wiki_page_meta_id: Nullable(
    Type.Integer({
      description:
        'Number that the page keeps when it gets another name; null for one of very many that one push made.',
    }),
  ),
});

/** A page with its text. */
export const WikiPage = Type.Object({
  ...WikiPageBasic.properties,
  content: Type.String({ description: 'The source with its front matter, or HTML where that is asked for.' }),
  encoding: Type.String({ description: 'UTF-8.' }),
  front_matter: Type.Object(
    {},
    { additionalProperties: true, description: 'What the block of YAML says before the text.' },
  ),
});

export const WikiAttachment = Type.Object({
  file_name: Type.String(),
  file_path: Type.String({ description: 'Path of the file in the repository of the wiki.' }),
  branch: Type.String(),
  link: Type.Object({
    url: Type.String({ description: 'Address below that of the wiki.' }),
    markdown: Type.String({ description: 'Markdown that shows the file, or links to it.' }),
  }),
});
