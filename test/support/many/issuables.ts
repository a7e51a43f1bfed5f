import type { Db } from '../../../src/db/db.schema.ts';
import { type Amounts, at, count, insert, inTurn, type Row, rowsOf, USERS, word } from './rows.ts';

/** Issues and merge requests with what hangs on them. Every tenth issue is confidential. */
export async function issuables(
  db: Db,
  amounts: Amounts,
  first: number,
  projectOf: (n: number) => number,
): Promise<void> {
  const iids = new Map<string, number>();
  const iid = (kind: string, project: number) => {
    const next = (iids.get(`${kind}${project}`) ?? 0) + 1;
    iids.set(`${kind}${project}`, next);
    return next;
  };
  const common = (n: number) => ({
    author_id: 1_000 + (n % USERS),
    title: `The ${word(n)} of the ${word(n / 10)} ${n}`,
    description: `What happens with the ${word(n)}, and what should happen instead.\n\n- [x] one\n- [ ] two`,
    user_notes_count: n % 3,
    created_at: at(n),
    updated_at: at(n + 1_000),
  });
  await insert(
    db,
    'issues',
    rowsOf(amounts.issues, (n) => {
      const project = projectOf(n);
      const closed = n % 3 === 0;
      return {
        id: 1 + n,
        iid: iid('i', project),
        project_id: project,
        ...common(n),
        state: closed ? 'closed' : 'opened',
        closed_at: closed ? at(n + 900) : null,
        confidential: n % 10 === 0 ? 1 : 0,
        weight: n % 8,
        due_date: n % 4 === 0 ? at(n + 5_000).slice(0, 10) : null,
        milestone_id: project === first ? inTurn(n) : null,
      };
    }),
  );
  await insert(
    db,
    'merge_requests',
    rowsOf(amounts.mergeRequests, (n) => {
      const project = projectOf(n);
      const number = iid('m', project);
      const state = n % 3 === 0 ? 'opened' : n % 3 === 1 ? 'merged' : 'closed';
      return {
        id: 1 + n,
        iid: number,
        project_id: project,
        source_project_id: project,
        ...common(n),
        state,
        source_branch: `feature-${number}`,
        target_branch: 'main',
        head_sha: n.toString(16).padStart(40, '0'),
        merge_status: 'can_be_merged',
        merged_at: state === 'merged' ? at(n + 900) : null,
        milestone_id: project === first ? inTurn(n) : null,
      };
    }),
  );
  for (const [type, amount] of [
    ['Issue', amounts.issues],
    ['MergeRequest', amounts.mergeRequests],
  ] as const) {
    const hung = (n: number) => ({ issuable_type: type, issuable_id: 1 + n, project_id: projectOf(n) });
    const inBig = (n: number) => projectOf(n) === first;
    const labelled = rowsOf(amount, (n) => (inBig(n) && n % 7 > 0 ? { ...hung(n), label_id: inTurn(n) } : null));
    await insert(db, 'issuable_labels', labelled);
    await insert(
      db,
      'issuable_assignees',
      rowsOf(amount, (n) => ({ ...hung(n), user_id: 1_000 + ((n + 5) % USERS) })),
    );
    await insert(db, 'notes', notes(type, amount, projectOf));
    await insert(
      db,
      'award_emoji',
      rowsOf(amount, (n) =>
        n % 5 === 0
          ? {
              awardable_type: type,
              awardable_id: 1 + n,
              user_id: 1_000 + (n % USERS),
              project_id: projectOf(n),
              name: n % 2 === 0 ? 'thumbsup' : 'rocket',
              created_at: at(n),
              updated_at: at(n),
            }
          : null,
      ),
    );
  }
  await insert(
    db,
    'issue_links',
    rowsOf(amounts.issues / 10, (n) => ({
      source_id: 1 + n * 5,
      target_id: 6 + n * 5,
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'approvals',
    rowsOf(amounts.mergeRequests, (n) => ({
      merge_request_id: 1 + n,
      user_id: 1_000 + ((n + 1) % USERS),
      head_sha: n.toString(16).padStart(40, '0'),
      created_at: at(n),
    })),
  );
}

/** A note on each second one, 60 on each of the first five; every tenth is internal. */
function* notes(type: string, amount: number, projectOf: (n: number) => number): Generator<Row> {
  const note = (n: number, number: number): Row => ({
    project_id: projectOf(n),
    noteable_type: type,
    noteable_id: 1 + n,
    discussion_id: `${type}-${n}-${number}`.padEnd(40, '0'),
    author_id: 1_000 + (n % USERS),
    note: `I have seen the ${word(n)} too.`,
    internal: type === 'Issue' && (n + number) % 10 === 9 ? 1 : 0,
    created_at: at(n + number),
    updated_at: at(n + number),
  });
  for (const n of count(amount)) {
    if (n < 5) for (const number of count(60)) yield note(n, number);
    else if (n % 2 === 0) yield note(n, 0);
  }
}
