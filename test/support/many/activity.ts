import type { Db } from '../../../src/db/db.schema.ts';
import { eventId } from '../../../src/db/tables/events.table.ts';
import { type Amounts, at, count, insert, type Row, rowsOf, USERS, word } from './rows.ts';

/** Half of them personal. */
export async function snippets(
  db: Db,
  amount: number,
  projectOf: (n: number) => number,
  place: (n: number) => { repository_storage: string; disk_path: string },
): Promise<void> {
  await insert(
    db,
    'snippets',
    rowsOf(amount, (n) => ({
      id: 1 + n,
      project_id: n % 2 === 0 ? null : projectOf(n),
      author_id: 1_000 + (n % USERS),
      title: `Snippet about ${word(n)}`,
      visibility: n % 3 === 0 ? 'public' : n % 3 === 1 ? 'internal' : 'private',
      file_names: '["snippet.txt"]',
      ...place(n),
      created_at: at(n),
      updated_at: at(n),
    })),
  );
}

/** Pushes, comments, and what happens to issues and merge requests, by all users in all projects. */
export function* events(
  { events: amount, issues, mergeRequests }: Amounts,
  projectOf: (n: number) => number,
): Generator<Row> {
  const blank = { target_type: null, target_id: null, push_data: null, noteable_type: null, noteable_id: null };
  for (const n of count(amount)) {
    const about = [n % issues, n % mergeRequests] as const;
    const [kind, project, what] =
      n % 4 === 0
        ? (['created', projectOf(about[0]), { target_type: 'Issue', target_id: 1 + about[0] }] as const)
        : n % 4 === 1
          ? (['merged', projectOf(about[1]), { target_type: 'MergeRequest', target_id: 1 + about[1] }] as const)
          : (['pushed', projectOf(n), { push_data: PUSH }] as const);
    const domain = 1_000_000 + n;
    const when = { id: eventId(domain, 0), domain_event_id: domain, ordinal: 0, created_at: at(n) };
    yield { action: kind, author_id: 1_000 + (n % USERS), project_id: project, ...blank, ...what, ...when };
  }
}

const PUSH = JSON.stringify({
  commit_count: 1,
  action: 'pushed',
  ref_type: 'branch',
  commit_from: '0'.repeat(39).concat('1'),
  commit_to: '0'.repeat(39).concat('2'),
  ref: 'main',
  commit_title: 'Change the parser',
  ref_count: null,
});

/** Changes of members by all users, in the group and in all projects. */
export function* auditEvents(amount: number, group: number, projectOf: (n: number) => number): Generator<Row> {
  for (const n of count(amount)) {
    const [entity_type, entity_id] = n % 4 === 0 ? ['Group', group] : ['Project', projectOf(n)];
    const author_id = 1_000 + (n % USERS);
    const details = { author_name: `Name ${n % USERS}`, author_email: null, author_class: 'User', ...CHANGED };
    const entry = { author_id, entity_type, entity_id, event_name: 'member_updated', created_at: at(n) };
    yield { ...entry, details: JSON.stringify(details) };
  }
}

const CHANGED = {
  change: 'access_level',
  from: 'Developer',
  to: 'Maintainer',
  target_id: 1_000,
  target_type: 'User',
  target_details: 'Name 0',
  custom_message: 'Changed access level from Developer to Maintainer',
  ip_address: '127.0.0.1',
  entity_path: 'many',
};
