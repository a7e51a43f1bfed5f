import { sql } from 'kysely';
import { lineageIds } from '../../access/access.membership.ts';
import { asciiLower } from '../../db/like.ts';
import type { Deps } from '../../deps.ts';
import type { TargetScope } from './after-push.target.ts';
import type { MergeRequestOptions } from './options.ts';

/** Users, labels and milestone named by push options, in the form that the merge request service accepts. */
export interface PushedMetadata {
  add: number[];
  remove: number[];
  milestone_id?: number;
  add_labels?: string[];
  remove_labels?: string[];
  /** Warnings about names that were not found. */
  warnings: string[];
}

/** Resolves the names in push options: users by user name or id, a milestone of the target project by title. */
export async function findMetadata(
  deps: Deps,
  { project, namespace, permissions }: TargetScope,
  { lists, texts }: MergeRequestOptions,
): Promise<PushedMetadata> {
  const metadata: PushedMetadata = { add: [], remove: [], warnings: [] };
  const asked = Object.values(lists).some((list) => list.length > 0) || texts.milestone !== undefined;
  if (asked && !permissions.can('admin_merge_request')) {
    metadata.warnings.push(`Only members of ${project.full_path} can set labels, assignees and milestones`);
    return metadata;
  }
  const people = await findPeople(deps, [...lists.assign, ...lists.unassign]);
  const idOf = (name: string): number[] => {
    const id = people.get(asciiLower(name));
    if (id === undefined) metadata.warnings.push(`User ${name} does not exist`);
    return id === undefined ? [] : [id];
  };
  metadata.add = lists.assign.flatMap(idOf);
  metadata.remove = lists.unassign.flatMap(idOf);
  if (lists.label.length > 0) metadata.add_labels = lists.label;
  if (lists.unlabel.length > 0) metadata.remove_labels = lists.unlabel;
  if (texts.milestone !== undefined) {
    const groups = lineageIds(namespace.lineage);
    const milestone = await deps.db
      .selectFrom('milestones')
      .select('id')
      .where('title', '=', texts.milestone)
      .where((eb) => eb.or([eb('project_id', '=', project.id), eb('group_id', 'in', groups)]))
      .orderBy('id')
      .executeTakeFirst();
    if (milestone === undefined) metadata.warnings.push(`Milestone ${texts.milestone} does not exist`);
    else metadata.milestone_id = milestone.id;
  }
  return metadata;
}

/** User ids by the given identifier: a user name in lower case or an id. */
async function findPeople(deps: Deps, identifiers: readonly string[]): Promise<Map<string, number>> {
  const people = new Map<string, number>();
  if (identifiers.length === 0) return people;
  const names = identifiers.map((name) => asciiLower(name).replace(/^@/, ''));
  const ids = identifiers.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
  const rows = await deps.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where((eb) =>
      eb.or([eb(sql<string>`lower(username)`, 'in', names), ...(ids.length === 0 ? [] : [eb('id', 'in', ids)])]),
    )
    .execute();
  for (const { id } of rows) if (ids.includes(id)) people.set(String(id), id);
  for (const { id, username } of rows) {
    people.set(asciiLower(username), id);
    people.set(`@${asciiLower(username)}`, id);
  }
  return people;
}
