import { type Static, Type } from 'typebox';
import { Enum, Instant, Nullable } from '../../../http/schema.ts';
import { keysetPagination, RefSearch } from '../branches/schema.ts';
import { Commit } from '../commits/schema.ts';

/** Tag (silent in the specification). */
export const Tag = Type.Object({
  name: Type.String(),
  message: Nullable(Type.String({ description: 'Message of an annotated tag.' })),
  target: Type.String({ description: 'What the tag is: the tag object of an annotated tag, else the commit.' }),
  commit: Nullable(Commit),
  release: Nullable(Type.Object({ tag_name: Type.String(), description: Nullable(Type.String()) })),
  protected: Type.Boolean(),
  created_at: Nullable(Instant({ description: 'When an annotated tag was made.' })),
});
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
  ref: Type.String({ description: 'Branch, tag or commit that it names.' }),
  message: Type.Optional(Nullable(Type.String({ description: 'Makes the tag an annotated one.' }))),
});
