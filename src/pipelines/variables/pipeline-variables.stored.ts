import { lineageIds } from '../../access/access.membership.ts';
import type { StoredVariable } from '../../ci/compile-request.ts';
import type { Db } from '../../db/db.schema.ts';
import { prepared } from '../../db/prepared.ts';
import type { CiVariable } from '../../db/tables/ci-variables.table.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { openedVariable } from './at-rest.ts';

/**
 * Stored variables for a project: of the instance, of its groups from the root down, and its own. Sorted by increasing
 * precedence; on the same level, variables with a wider scope come first.
 * @param options `protectedRef`: whether to include protected variables
 */
export async function storedVariables(
  deps: Pick<Deps, 'secrets'>,
  db: Db,
  project: Pick<Project, 'id'>,
  namespace: Pick<Namespace, 'kind' | 'lineage'>,
  { protectedRef }: { protectedRef: boolean },
): Promise<StoredVariable[]> {
  const groups = namespace.kind === 'group' ? lineageIds(namespace.lineage) : [];
  const rows = await rowsFor(db, { project: project.id, groups });
  const place = (row: CiVariable): number =>
    row.project_id !== null ? groups.length : row.group_id !== null ? groups.indexOf(row.group_id) : -1;
  return rows
    .filter((row) => protectedRef || row.protected === 0)
    .sort((a, b) => place(a) - place(b) || width(a) - width(b) || a.id - b.id)
    .map((row) => asVariable(openedVariable(deps, 'ci_variables', row)));
}

const rowsFor = prepared((db, { project, groups }: { project: number; groups: readonly number[] }) => {
  const ofProject = db.selectFrom('ci_variables').selectAll().where('project_id', '=', project);
  const ofInstance = db
    .selectFrom('ci_variables')
    .selectAll()
    .where('project_id', 'is', null)
    .where('group_id', 'is', null);
  const both = ofProject.unionAll(ofInstance);
  if (groups.length === 0) return both;
  return both.unionAll(db.selectFrom('ci_variables').selectAll().where('group_id', 'in', groups));
});

/** Width of the environment scope: narrower scopes come later. */
const width = ({ environment_scope }: CiVariable): number =>
  environment_scope === '*' ? 0 : environment_scope.includes('*') ? 1 : 2;

const asVariable = (row: Omit<CiVariable, 'value'> & { value: string }): StoredVariable => ({
  key: row.key,
  value: row.value,
  environmentScope: row.environment_scope,
  public: false,
  ...(row.variable_type === 'file' ? { file: true } : {}),
  ...(row.raw === 1 ? { raw: true } : {}),
  ...(row.masked === 1 || row.hidden === 1 ? { masked: true } : {}),
});
