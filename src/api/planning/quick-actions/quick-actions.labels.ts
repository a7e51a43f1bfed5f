import { lineageIds } from '../../../access/access.membership.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import { findLabels } from '../issuables/issuables.labels.ts';
import type { Context } from './quick-actions.action.ts';

/** Maximum number of labels of a quick action. */
const MAX_LABELS = 100;
/** Label names have no commas. */
const TILDED = /~(?:"([^"]{1,255})"|([^\s~",]{1,255}))/g;
const PLAIN = /"([^"]{1,255})"|([^\s",]{1,255})/g;

/**
 * Resolves the labels of an argument, `~bug ~"to do"` or `bug, "to do"`, in the project and its ancestor groups.
 * Unknown names are ignored.
 */
export async function labelsOf(c: Context, argument: string): Promise<Label[]> {
  const pattern = argument.includes('~') ? TILDED : PLAIN;
  const names = new Set<string>();
  for (const [, quoted, bare] of argument.matchAll(pattern)) {
    if (names.size >= Math.min(MAX_LABELS, c.lookups)) break;
    names.add((quoted ?? bare)!);
  }
  c.lookups -= names.size;
  const known = await findLabels(c.deps.db, c.scope, [...names]);
  const ids = argument.includes('~')
    ? [...names].filter((name) => !known.has(name) && /^[1-9]\d{0,14}$/.test(name))
    : [];
  for (const label of await labelsOfIds(c, ids.map(Number))) known.set(String(label.id), label);
  const labels = [...names].flatMap((name) => known.get(name) ?? []);
  for (const { id, name } of labels) c.labels.set(id, name);
  return labels;
}

async function labelsOfIds({ deps, scope }: Context, ids: readonly number[]): Promise<Label[]> {
  if (ids.length === 0) return [];
  const groups = lineageIds(scope.namespace.lineage);
  return deps.db
    .selectFrom('labels')
    .selectAll()
    .where('id', 'in', ids)
    .where((eb) => eb.or([eb('project_id', '=', scope.project.id), eb('group_id', 'in', groups)]))
    .execute();
}

/** `~"bug" ~"to do"`. */
export const referencesTo = (labels: readonly Pick<Label, 'name' | 'id'>[]): string =>
  labels.map(({ name, id }) => (name.includes('"') ? `~${id}` : `~"${name}"`)).join(' ');
