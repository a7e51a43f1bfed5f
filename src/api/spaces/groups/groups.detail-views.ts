import type { Caller } from '../../../access/caller.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import { registrationToken } from '../../../pipelines/runners/registration-tokens.ts';
import { type ListBase, projectList } from '../projects/projects.list.ts';
import { presentProjects } from '../projects/projects.page-views.ts';
import {
  additionalSettingFields,
  detailSettingFields,
  duoAvailability,
  type GroupSettings,
  groupSettings,
} from './groups.settings.ts';
import { sharedWith } from './groups.shares.ts';
import { presentGroups } from './groups.views.ts';

/** Maximum number of projects in the object of a group. */
const MAX_PROJECTS = 100;

const { allow_personal_snippets } = additionalSettingFields;
const DETAILS = { ...detailSettingFields, allow_personal_snippets };
const DETAIL_NAMES = Object.keys(DETAILS) as (keyof typeof DETAILS)[];

/** Renders a single group with all details visible to the caller. */
export async function presentGroupDetail(
  deps: Deps,
  caller: Caller,
  group: Namespace,
  {
    customAttributes,
    projects = true,
  }: { customAttributes?: boolean | undefined; projects?: boolean | undefined } = {},
) {
  const [shown] = await presentGroups(deps, caller, [group], { customAttributes });
  const settings = groupSettings(group);
  const details = Object.fromEntries(DETAIL_NAMES.map((name) => [name, settings[name]])) as Pick<
    GroupSettings,
    keyof typeof DETAILS
  >;
  const owns = (await groupPermissions(deps, caller, group)).can('own_group');
  return {
    ...shown!,
    shared_with_groups: await sharedWith(deps, caller, { type: 'group', id: group.id }),
    ip_restriction_ranges: null,
    // The server has no directories or sign-in services.
    ldap_group_links: [],
    saml_group_links: [],
    duo_availability: duoAvailability(settings),
    ...details,
    ...(owns
      ? {
          allowed_email_domains_list: settings.allowed_email_domains_list,
          runners_token: await runnersToken(deps, group),
        }
      : {}),
    ...(projects
      ? {
          projects: await projectsOf(deps, caller, { namespaceIds: [group.id] }),
          shared_projects: await projectsOf(deps, caller, { sharedWithGroupId: group.id }),
        }
      : {}),
  };
}

/** Earlier versions stored the token in the settings. */
const runnersToken = async (deps: Deps, { id, settings }: Namespace): Promise<string | null> =>
  deps.settings.now.allow_runner_registration_token
    ? registrationToken(
        deps,
        { project_id: null, group_id: id },
        parseJson<{ runners_token?: string }>(settings).runners_token,
      )
    : null;

async function projectsOf(deps: Deps, caller: Caller, base: ListBase) {
  const query = await projectList(deps, caller, { order_by: 'created_at', sort: 'desc' }, base);
  return presentProjects(deps, caller, await query.limit(MAX_PROJECTS).execute());
}
