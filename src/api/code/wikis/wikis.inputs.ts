import { Type } from 'typebox';
import { Content, Enum, Upload } from '../../../http/http.schema.ts';
import type { ParamRules } from '../../../http/params/coerce.ts';
import { WIKI_FORMATS } from './page-paths.ts';

export const Slug = {
  slug: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'URL-encoded slug of the page, including its folders.',
  }),
};

const attributes = {
  front_matter: Type.Optional(
    Type.Object({
      title: Type.Optional(Type.String({ maxLength: 1_000, description: 'Title to show instead of the file name.' })),
    }),
  ),
};

const title = { description: 'Title of the page; slashes separate folders.' };

export const listPages = Type.Object({
  with_content: Type.Optional(Type.Boolean({ default: false, description: 'Include the content of each page.' })),
});

export const showPage = Type.Object({
  render_html: Type.Optional(
    Type.Boolean({ default: false, description: 'Return the content as HTML instead of its source.' }),
  ),
  version: Type.Optional(Type.String({ description: 'Commit of the version to return; the latest when absent.' })),
});

export const createPage = Type.Object({
  title: Type.String(title),
  content: Content({ description: 'Content of the page.' }),
  format: Type.Optional(Enum(WIKI_FORMATS, { default: 'markdown', description: 'Format of the content.' })),
  ...attributes,
});

export const updatePage = Type.Object({
  title: Type.Optional(Type.String(title)),
  content: Type.Optional(Content({ description: 'Content of the page.' })),
  format: Type.Optional(Enum(WIKI_FORMATS, { description: 'Format of the content; unchanged when absent.' })),
  ...attributes,
});

export const updateRules: ParamRules = { atLeastOne: [['content', 'title', 'format']] };

export const attachment = Type.Object({
  file: Upload({ description: 'File to upload, as a part of a multipart body.' }),
  branch: Type.Optional(Type.String({ description: 'Branch to commit to; the default branch when absent.' })),
});
