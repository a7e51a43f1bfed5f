import type { UserCaller } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { visibleGroup } from '../groups/groups.find.ts';

/** How a template is asked for. */
interface Template {
  use_custom_template?: boolean;
  template_project_id?: number;
  template_name?: string;
  group_with_project_templates_id?: number;
  import_url?: string | null;
}

/** The group that administrators have named for everybody. @throws ApiError 400 where there is none */
async function templatesOfAll(deps: Deps): Promise<number> {
  const { custom_project_templates_group_id: id } = await applicationSettings(deps);
  if (id !== null) return id;
  throw invalidModel({ group_with_project_templates_id: ['is missing: name the group that the template is in'] });
}

/** Projects of one name in the group of templates at most. */
const MAX_SAME = 10;

/**
 * The project that a new one shall be a copy of; undefined where no project of a group is asked for.
 * @throws ApiError 400 where the parameters name no project of the group whose code the caller may copy, 404 for the group
 */
export async function templateOf(deps: Deps, caller: UserCaller, input: Template): Promise<Project | undefined> {
  const { template_project_id: id, template_name: name, group_with_project_templates_id: groupId } = input;
  if (input.use_custom_template !== true) {
    if (id === undefined) return undefined;
    throw invalidModel({ template_project_id: ['needs use_custom_template to be true'] });
  }
  if (input.import_url) throw invalidModel({ import_url: ['cannot be given together with a template'] });
  const group = groupId === undefined ? await templatesOfAll(deps) : (await visibleGroup(deps, caller, groupId)).id;
  const rows = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', '=', group)
    .where('pending_delete', '=', 0)
    .where((eb) => (id === undefined ? eb('name', '=', name ?? '') : eb('id', '=', id)))
    .orderBy('id')
    .limit(MAX_SAME)
    .execute();
  for (const row of rows) {
    const scope = await callerInProject(deps, caller, row.id, row);
    if (scope?.permissions.can('fork_project')) return row;
  }
  throw invalidModel(
    id === undefined
      ? { template_name: [`'${name ?? ''}' is unknown or invalid`] }
      : { template_project_id: ['is not a project of the group that can be copied'] },
  );
}
