import { type Static, Type } from 'typebox';
import { Enum, Filled, Nullable, optional, pagination } from '../../../http/schema.ts';

const MAX_URL = 2_048;

const shown = {
  name: Nullable(Type.String()),
  link_url: Type.String({ description: 'Address that the badge leads to, with its placeholders.' }),
  image_url: Type.String({ description: 'Address of the picture, with its placeholders.' }),
  rendered_link_url: Type.String({ description: 'The link with what stands in the place of the placeholders.' }),
  rendered_image_url: Type.String({ description: 'The picture with what stands in the place of the placeholders.' }),
};

/** A badge as it would look. */
export const BadgePreview = Type.Object(shown);
/** A badge of a project or a group. */
export const BadgeEntity = Type.Object({
  ...shown,
  id: Type.Integer(),
  kind: Enum(['project', 'group'], { description: 'Whose badge it is: a project shows those of its groups too.' }),
});
export type BadgePreview = Static<typeof BadgePreview>;
export type BadgeEntity = Static<typeof BadgeEntity>;

const url = (what: string) =>
  Filled({
    maxLength: MAX_URL,
    description: `Address of the ${what}, http or https. It may hold placeholders: %{project_path}, %{project_title}, %{project_name}, %{project_id}, %{project_namespace}, %{group_name}, %{gitlab_server}, %{default_branch}, %{commit_sha}, %{latest_tag}.`,
  });
const addresses = { link_url: url('link'), image_url: url('picture') };
const name = Nullable(Type.String({ maxLength: 255 }));

export const badgeId = Type.Object({ badge_id: Type.Integer({ description: 'Id of the badge.' }) });
export const listBadges = Type.Object({
  name: Type.Optional(Type.String({ description: 'Only badges of exactly this name.' })),
  ...pagination,
});
export const previewBadge = Type.Object(addresses);
export const newBadge = Type.Object({ ...addresses, name: Type.Optional(name) });
export const changedBadge = optional({ ...addresses, name });
