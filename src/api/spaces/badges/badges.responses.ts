import { type Static, Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';

const shown = {
  name: Nullable(Type.String()),
  link_url: Type.String({ description: 'Link of the badge, with placeholders.' }),
  image_url: Type.String({ description: 'URL of the image, with placeholders.' }),
  rendered_link_url: Type.String({ description: 'Link of the badge, with placeholders replaced.' }),
  rendered_image_url: Type.String({ description: 'URL of the image, with placeholders replaced.' }),
};

/** A badge preview. */
export const BadgePreview = Type.Object(shown);
export type BadgePreview = Static<typeof BadgePreview>;

/** A badge of a project or a group. */
export const BadgeEntity = Type.Object({
  ...shown,
  id: Type.Integer(),
  kind: Enum(['project', 'group'], { description: 'Owner of the badge; projects also show badges of their groups.' }),
});
export type BadgeEntity = Static<typeof BadgeEntity>;

export const name = Nullable(Type.String({ maxLength: 255 }));
