import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { ProjectAbility } from '../access/access.abilities.ts';
import { canReadSnippet } from '../access/access.snippets.ts';
import { nonConfidentialIssues } from '../access/confidential-issues.ts';
import type { Schema } from '../db/db.schema.ts';
import type { Deps } from '../deps.ts';
import type { MentionLink } from '../markup/mentions.ts';
import { type FindLinks, linked, type PlacedMention } from './placed-mention.ts';

/** Numbers that the databases hold. */
const MAX_NUMBER = 2_147_483_647;

const areReadable = (mentions: readonly PlacedMention[], ability: ProjectAbility): PlacedMention[] =>
  mentions.filter(({ place, value }) => Number(value) <= MAX_NUMBER && place.permissions.can(ability));

/** Condition on issues or merge requests that one of the mentions names. */
function isNamed(mentions: readonly PlacedMention[]): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'issues'>();
  const projects = Map.groupBy(mentions, ({ place }) => place.project.id);
  return eb.or(
    [...projects].map(([id, inside]) => {
      const numbers = inside.map(({ value }) => Number(value));
      return eb.and([eb('project_id', '=', id), eb('iid', 'in', numbers)]);
    }),
  );
}

const urlOf = (deps: Deps, { place }: PlacedMention, page: string, value: number): string =>
  `${deps.externalUrl()}/${place.project.full_path}/-/${page}/${value}`;

/** The links of mentions that name one of the rows. */
function linkedRows<Row extends { project_id: number; iid: number }>(
  mentions: readonly PlacedMention[],
  rows: readonly Row[],
  linkOf: (mention: PlacedMention, row: Row) => MentionLink,
): Map<PlacedMention, MentionLink> {
  const found = new Map(rows.map((row) => [`${row.project_id} ${row.iid}`, row]));
  return linked(mentions, (mention) => {
    const row = found.get(`${mention.place.project.id} ${Number(mention.value)}`);
    return row && linkOf(mention, row);
  });
}

/** Issues; confidential ones for those who may read them. */
export const issueLinks: FindLinks = async (deps, reader, mentions) => {
  const readable = areReadable(mentions, 'read_issue');
  if (readable.length === 0) return new Map();
  const open = readable.filter(({ place }) => place.permissions.can('read_confidential_issues'));
  const all = [...new Set(open.map(({ place }) => place.project.id))];
  const rows = await deps.db
    .selectFrom('issues')
    .select(['id', 'iid', 'title', 'project_id', 'issue_type'])
    .where(isNamed(readable))
    .where(({ eb, or }) =>
      all.length === 0
        ? nonConfidentialIssues(reader)
        : or([eb('project_id', 'in', all), nonConfidentialIssues(reader)]),
    )
    .execute();
  return linkedRows(readable, rows, (mention, row) => ({
    href: urlOf(deps, mention, 'issues', row.iid),
    title: row.title,
    text: `${mention.prefix}#${row.iid}`,
    data: { project: row.project_id, issue: row.id, iid: row.iid, 'issue-type': row.issue_type },
  }));
};

/** Merge requests. */
export const mergeRequestLinks: FindLinks = async (deps, _reader, mentions) => {
  const readable = areReadable(mentions, 'read_merge_request');
  if (readable.length === 0) return new Map();
  const rows = await deps.db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'title', 'project_id'])
    .where(isNamed(readable))
    .execute();
  return linkedRows(readable, rows, (mention, row) => ({
    href: urlOf(deps, mention, 'merge_requests', row.iid),
    title: row.title,
    text: `${mention.prefix}!${row.iid}`,
    data: { project: row.project_id, 'merge-request': row.id, iid: row.iid },
  }));
};

/** Snippets of projects. */
export const snippetLinks: FindLinks = async (deps, reader, mentions) => {
  const readable = areReadable(mentions, 'read_snippet');
  if (readable.length === 0) return new Map();
  const rows = await deps.db
    .selectFrom('snippets')
    .selectAll()
    .where(
      'id',
      'in',
      readable.map(({ value }) => Number(value)),
    )
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return linked(readable, (mention) => {
    const row = found.get(Number(mention.value));
    const { project, permissions } = mention.place;
    if (row?.project_id !== project.id || !canReadSnippet(reader, row, permissions)) return undefined;
    return {
      href: urlOf(deps, mention, 'snippets', row.id),
      title: row.title,
      text: `${mention.prefix}$${row.id}`,
      data: { project: project.id, snippet: row.id },
    };
  });
};
