import { Type } from 'typebox';
import { Content, Enum, Upload } from '../../../http/http.schema.ts';
import type { ParamRules } from '../../../http/params/coerce.ts';
import { WIKI_FORMATS } from './page-paths.ts';

export const Slug = {
  slug: Type.String({ minLength: 1, maxLength: 2_000, description: 'URL-encoded slug of the page, folders included.' }),
};

const attributes = {
  front_matter: Type.Optional(
    Type.Object({
      title: Type.Optional(
        Type.String({ maxLength: 1_000, description: 'Title to be shown instead of that of the file.' }),
      ),
    }),
  ),
};

const title = { description: 'Title of the page, with folders before it where it is to lie in some.' };

export const listPages = Type.Object({
  with_content: Type.Optional(Type.Boolean({ default: false, description: 'Also the text of each page.' })),
});

export const showPage = Type.Object({
  render_html: Type.Optional(Type.Boolean({ default: false, description: 'The text as HTML instead of its source.' })),
  version: Type.Optional(Type.String({ description: 'Commit whose version is wanted; the latest when absent.' })),
});

export const createPage = Type.Object({
  title: Type.String(title),
  content: Content({ description: 'Text of the page.' }),
  format: Type.Optional(Enum(WIKI_FORMATS, { default: 'markdown', description: 'Format of the text.' })),
  ...attributes,
});

export const updatePage = Type.Object({
  title: Type.Optional(Type.String(title)),
  content: Type.Optional(Content({ description: 'Text of the page.' })),
  format: Type.Optional(Enum(WIKI_FORMATS, { description: 'Format of the text; as it was when absent.' })),
  ...attributes,
});

export const updateRules: ParamRules = { atLeastOne: [['content', 'title', 'format']] };

export const attachment = Type.Object({
  file: Upload({ description: 'The file, as a part of a multipart body.' }),
  branch: Type.Optional(Type.String({ description: 'Branch to commit to; the default branch when absent.' })),
});
