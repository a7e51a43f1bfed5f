import { type Static, Type } from 'typebox';
import type { Db } from '../../../db/db.schema.ts';
import { type Dialect, Dialectal, inDialect } from '../../../http/dialect.ts';
import { route } from '../../../http/http.route.ts';
import { administrator } from '../../api.access.ts';

const number = (description: string) =>
  Dialectal<string | number>(
    'statistics_count',
    Type.String({ description: `${description}, with thousands separators.` }),
  );

const Statistics = Type.Object({
  forks: number('Projects that are forks'),
  issues: number('Issues'),
  merge_requests: number('Merge requests'),
  notes: number('Comments'),
  snippets: number('Snippets'),
  ssh_keys: number('SSH keys of users'),
  milestones: number('Milestones'),
  users: number('Users, bots included'),
  groups: number('Groups and subgroups'),
  projects: number('Projects'),
  active_users: number('Active users'),
});

const TABLES = [
  'issues',
  'merge_requests',
  'notes',
  'snippets',
  'ssh_keys',
  'milestones',
  'users',
  'projects',
] as const;

async function count(db: Db, dialect: Dialect): Promise<Static<typeof Statistics>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const { total } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    counts[table] = Number(total);
  }
  const forks = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.count<number>('forked_from_id').as('total'))
    .executeTakeFirstOrThrow();
  const groups = await db
    .selectFrom('namespaces')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('kind', '=', 'group')
    .executeTakeFirstOrThrow();
  const active = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('state', '=', 'active')
    .where('kind', '!=', 'ghost')
    .executeTakeFirstOrThrow();
  const all = { ...counts, forks: forks.total, groups: groups.total, active_users: active.total };
  const shown = Object.entries(all).map(([name, total]) => [
    name,
    inDialect(dialect, 'statistics_count', Number(total)),
  ]);
  return Object.fromEntries(shown);
}

/** Counts of the objects on the server. */
export const applicationStatisticsRoutes = [
  route({
    method: 'GET',
    path: '/application/statistics',
    summary: 'Get the statistics of the server',
    access: administrator,
    expensive: true,
    success: { status: 200, schema: Statistics },
    handler: ({ deps }) => deps.snapshot.get('application-statistics', () => count(deps.db, deps.config.dialect)),
  }),
];
