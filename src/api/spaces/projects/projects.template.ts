import type { UserCaller } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { visibleGroup } from '../groups/groups.find.ts';

/** Parameters that select a template. */
interface Template {
  use_custom_template?: boolean;
  template_project_id?: number;
  template_name?: string;
  group_with_project_templates_id?: number;
  import_url?: string | null;
}

/** Returns the template group of the instance. @throws ApiError 400 if there is none */
async function templatesOfAll(deps: Deps): Promise<number> {
  const { custom_project_templates_group_id: id } = await applicationSettings(deps);
  if (id !== null) return id;
  throw invalidModel({
    group_with_project_templates_id: ['is missing: give the id of the group that contains the template'],
  });
}

/** Maximum number of projects of one name in the template group. */
const MAX_SAME = 10;

/**
 * Returns the project to use as the template; undefined without a custom template.
 * @throws ApiError 400 if the parameters name no project of the group whose code the caller may copy, 404 for the group
 */
export async function templateOf(deps: Deps, caller: UserCaller, input: Template): Promise<Project | undefined> {
  const { template_project_id: id, template_name: name, group_with_project_templates_id: groupId } = input;
  if (input.use_custom_template !== true) {
    if (id === undefined) return undefined;
    throw invalidModel({ template_project_id: ['requires use_custom_template to be true'] });
  }
  if (input.import_url) throw invalidModel({ import_url: ['cannot be combined with a template'] });
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
      : { template_project_id: ['is not a project of the group, or cannot be copied'] },
  );
}
