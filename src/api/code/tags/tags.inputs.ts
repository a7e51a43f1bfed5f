import { type Static, Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { keysetPagination, RefSearch } from '../branches/branches.inputs.ts';
import type { Tag } from './tags.responses.ts';

export type TagJson = Static<typeof Tag>;

export const ListTags = Type.Object({
  order_by: Type.Optional(Enum(['name', 'updated', 'version'], { default: 'updated' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
  search: Type.Optional(RefSearch),
  ...keysetPagination,
});

export const TagName = { tag_name: Type.String({ description: 'URL-encoded name of the tag.' }) };

export const CreateTag = Type.Object({
  tag_name: Type.String({ description: 'Name of the new tag.' }),
  ref: Type.String({ description: 'Branch, tag or commit to create the tag from.' }),
  message: Type.Optional(
    Nullable(Type.String({ description: 'Message of an annotated tag; a lightweight tag when absent.' })),
  ),
});
