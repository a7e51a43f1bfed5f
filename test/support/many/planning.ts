import type { Db } from '../../../src/db/db.schema.ts';
import { at, insert, LABELS, rowsOf } from './rows.ts';

/** Labels and milestones of the big project and of every tenth other, approval rules, and releases of all. */
export async function planning(db: Db, amount: number, first: number): Promise<void> {
  const stamp = (n: number) => ({ created_at: at(n), updated_at: at(n) });
  await insert(
    db,
    'labels',
    rowsOf(LABELS, (n) => ({ id: 100 + n, project_id: first, name: `label ${n}`, color: '#336699', ...stamp(n) })),
  );
  await insert(
    db,
    'labels',
    rowsOf(amount, (n) =>
      n % 10 === 1
        ? { id: 1_000 + n, project_id: first + n, name: `label ${n % LABELS}`, color: '#336699', ...stamp(n) }
        : null,
    ),
  );
  await insert(
    db,
    'milestones',
    rowsOf(LABELS, (n) => ({ id: 100 + n, iid: n + 1, project_id: first, title: `milestone ${n}`, ...stamp(n) })),
  );
  await insert(
    db,
    'milestones',
    rowsOf(amount, (n) =>
      n % 10 === 1 ? { id: 1_000 + n, iid: 1, project_id: first + n, title: 'milestone 1', ...stamp(n) } : null,
    ),
  );
  await insert(
    db,
    'approval_rules',
    rowsOf(LABELS, (n) => ({
      id: 100 + n,
      project_id: first,
      name: `rule ${n}`,
      rule_type: 'regular',
      approvals_required: n === 0 ? 1 : 0,
      ...stamp(n),
    })),
  );
  await releases(db, amount, first);
}

async function releases(db: Db, amount: number, first: number): Promise<void> {
  const stamp = (n: number) => ({ created_at: at(n), updated_at: at(n) });
  await insert(
    db,
    'releases',
    rowsOf(3 * amount, (n) => ({
      id: 100 + n,
      project_id: n % 3 === 0 ? first : first + (n % amount),
      tag: `v${n}`,
      author_id: 1_000 + (n % 20),
      released_at: at(n),
      ...stamp(n),
    })),
  );
  await insert(
    db,
    'release_links',
    rowsOf(3 * amount, (n) => ({
      id: 100 + n,
      release_id: 100 + (n % amount),
      name: `link ${n}`,
      url: `https://example.org/${n}`,
      ...stamp(n),
    })),
  );
  await insert(
    db,
    'release_evidences',
    rowsOf(amount, (n) => ({ id: 100 + n, release_id: 100 + n, summary: '{}', sha: 'x', created_at: at(n) })),
  );
  await insert(
    db,
    'milestone_releases',
    rowsOf(LABELS, (n) => ({ release_id: 100 + 3 * n, milestone_id: 100 + n })),
  );
}
