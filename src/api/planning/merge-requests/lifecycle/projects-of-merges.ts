import { lineageIds } from '../../../../access/access.membership.ts';
import { effectivePlan, includesPlan } from '../../../../access/access.plan.ts';
import { namespacesOfIds } from '../../../../access/find-by-id.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../../db/prepared.ts';
import type { Namespace } from '../../../../db/tables/namespaces.table.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import type { Deps } from '../../../../deps.ts';
import { groupSettings, type ProjectSettings, settingsOf } from '../../../spaces/index.ts';

/** Merge settings that a group enforces for all projects below it. */
const MERGE_CHECKS = [
  'only_allow_merge_if_pipeline_succeeds',
  'allow_merge_on_skipped_pipeline',
  'only_allow_merge_if_all_discussions_are_resolved',
] as const;

/** A project with its effective settings for merges. */
export interface ProjectOfMerges {
  project: Project;
  settings: ProjectSettings;
}

const withOwners = prepared((db, { ids }: Ids) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .select(['namespaces.kind as owner_kind', 'namespaces.lineage', 'namespaces.settings as owner_settings'])
    .where('projects.id', 'in', ids),
);

/** Projects by id, including those that are being deleted, with merge settings of their ancestor groups applied. */
export async function projectsOfMerges(
  deps: Deps,
  db: Db,
  ids: readonly number[],
): Promise<Map<number, ProjectOfMerges>> {
  if (ids.length === 0) return new Map();
  const rows = await withOwners(db, { ids: [...new Set(ids)] });
  const groups = new Map<number, Pick<Namespace, 'settings'>>();
  for (const { owner_kind, namespace_id, owner_settings } of rows) {
    if (owner_kind === 'group') groups.set(namespace_id, { settings: owner_settings });
  }
  const above = new Set(rows.flatMap(({ owner_kind, lineage }) => (owner_kind === 'group' ? lineageIds(lineage) : [])));
  const further = [...above].filter((id) => !groups.has(id));
  if (further.length > 0) for (const group of await namespacesOfIds(db, { ids: further })) groups.set(group.id, group);
  const set = new Map([...groups].map(([id, group]) => [id, checksOf(group)]));
  const anySet = [...set.values()].some((checks) => checks.length > 0);
  const counts = anySet && includesPlan(await effectivePlan(deps, db), 'premium');
  return new Map(
    rows.map(({ owner_kind: _kind, lineage, owner_settings: _settings, ...project }) => {
      const settings = settingsOf(project);
      if (counts) for (const id of lineageIds(lineage)) for (const name of set.get(id) ?? []) settings[name] = true;
      return [project.id, { project, settings }];
    }),
  );
}

function checksOf(group: Pick<Namespace, 'settings'>) {
  const settings = groupSettings(group);
  return MERGE_CHECKS.filter((name) => settings[name]);
}
