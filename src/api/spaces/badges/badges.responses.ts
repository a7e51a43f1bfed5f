import { type Static, Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const shown = {
  name: Nullable(Type.String()),
  link_url: Type.String({ description: 'Address that the badge leads to, with its placeholders.' }),
  image_url: Type.String({ description: 'Address of the picture, with its placeholders.' }),
  rendered_link_url: Type.String({ description: 'The link with what stands in the place of the placeholders.' }),
  rendered_image_url: Type.String({ description: 'The picture with what stands in the place of the placeholders.' }),
};

/** A badge as it would look. */
export const BadgePreview = Type.Object(shown);
export type BadgePreview = Static<typeof BadgePreview>;

/** A badge of a project or a group. */
export const BadgeEntity = Type.Object({
  ...shown,
  id: Type.Integer(),
  kind: Enum(['project', 'group'], { description: 'Whose badge it is: a project shows those of its groups too.' }),
});
export type BadgeEntity = Static<typeof BadgeEntity>;

export const name = Nullable(Type.String({ maxLength: 255 }));
