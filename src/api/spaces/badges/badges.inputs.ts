import { Type } from 'typebox';
import { Filled, optional, pagination } from '../../../http/http.schema.ts';
import { name } from './badges.responses.ts';

const MAX_URL = 2_048;

const url = (what: string) =>
  Filled({
    maxLength: MAX_URL,
    description: `URL of the ${what}, http or https. Placeholders: %{project_path}, %{project_title}, %{project_name}, %{project_id}, %{project_namespace}, %{group_name}, %{gitlab_server}, %{default_branch}, %{commit_sha}, %{latest_tag}.`,
  });

const addresses = { link_url: url('link'), image_url: url('picture') };

export const badgeId = Type.Object({ badge_id: Type.Integer({ description: 'Id of the badge.' }) });

export const listBadges = Type.Object({
  name: Type.Optional(Type.String({ description: 'Only badges with exactly this name.' })),
  ...pagination,
});

export const previewBadge = Type.Object(addresses);

export const newBadge = Type.Object({ ...addresses, name: Type.Optional(name) });

export const changedBadge = optional({ ...addresses, name });
