import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { TestIssuable } from '../../../../test/support/quick-actions.ts';
import { Rows } from '../../../../test/support/rows.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Row = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let rows: Rows;
let project: Project;
let users: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp({ clock });
  rows = new Rows(app.deps);
  project = await app.make.project({ visibility: 'public' });
  users = await app.make.members(project);
});
after(() => app.close());

const at = (iid: number, of = project) => `/projects/${of.id}/issues/${iid}`;
const on = (iid: number, of = project) => new TestIssuable(app, at(iid, of));

describe('times', () => {
  test('are estimated, spent and taken back', async () => {
    const { iid, id } = await rows.issue(project.id);
    const response = expectStatus<Row>(
      await on(iid).say('/estimate 1w 2d\n/spend 1h 30m 2026-05-01\n/spend -30m'),
      202,
    );
    assert.deepEqual(response.summary, [
      'Set time estimate to 1w 2d. Added 1h 30m spent time. Subtracted 30m spent time.',
    ]);
    assert.equal((response.commands_changes as Row).time_estimate, 7 * 8 * 3_600);
    const { time_stats } = await on(iid).shown();
    assert.deepEqual([(time_stats as Row).human_time_estimate, (time_stats as Row).total_time_spent], ['1w 2d', 3_600]);
    const logs = await app.deps.db
      .selectFrom('time_logs')
      .selectAll()
      .where('issuable_id', '=', id)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      logs.map(({ time_spent, spent_at }) => [time_spent, spent_at]),
      [
        [5_400, '2026-05-01T12:00:00.000Z'],
        [-1_800, '2026-06-15T12:00:00.000Z'],
      ],
    );
    assert.equal(
      await on(iid).summaryOf('/spend -9h\n/remove_estimate\n/remove_time_spent'),
      'Time to subtract exceeds the total time spent Removed time estimate. Removed spent time.',
    );
    assert.deepEqual(((await on(iid).shown()).time_stats as Row).total_time_spent, 0);
    for (const body of ['/estimate soon', '/spend 1h 2027-01-01', '/spend 1h 2026-02-30', '/spend', '/estimate -1h']) {
      expectStatus(await on(iid).say(body), 400);
    }
    assert.equal(await on(iid).summaryOf('/estimate 1h', users.guest), 'Could not apply estimate command.');
  });

  test('of a new issue', async () => {
    const fresh = await app.make.project();
    const json = { title: 'Timed', description: '/estimate 3h\n/spend 1h' };
    const made = expectStatus<Row>(await app.post(`/projects/${fresh.id}/issues`, { json }), 201);
    assert.deepEqual(
      [(made.time_stats as Row).time_estimate, (made.time_stats as Row).total_time_spent, made.description],
      [10_800, 3_600, ''],
    );
  });
});

describe("the caller's own", () => {
  test('to-do items, notifications and reactions, each once', async () => {
    const { iid } = await rows.issue(project.id);
    const { guest } = users;
    assert.equal(await on(iid).summaryOf('/todo', guest), 'Added a to-do item.');
    assert.equal(expectStatus<Row[]>(await app.get('/todos', { token: guest.token }), 200).length, 1);
    assert.equal(await on(iid).summaryOf('/todo', guest), 'Could not apply todo command.');
    assert.equal(await on(iid).summaryOf('/done', guest), 'Marked to-do item as done.');
    assert.equal(await on(iid).summaryOf('/done', guest), 'Could not apply done command.');
    // Who comments has dealt with it, but not with what the comment itself puts on the list.
    assert.equal(expectStatus<Row>(await on(iid).say('Later\n/todo', guest), 201).body, 'Later');
    assert.equal(expectStatus<Row[]>(await app.get('/todos', { token: guest.token }), 200).length, 1);
    const { reporter } = users;
    assert.equal(await on(iid).summaryOf('/subscribe', reporter), 'Subscribed to notifications.');
    assert.equal(await on(iid).summaryOf('/subscribe', reporter), 'Could not apply subscribe command.');
    assert.equal(await on(iid).summaryOf('/unsubscribe', reporter), 'Unsubscribed from notifications.');
    assert.equal(await on(iid).summaryOf('/react :thumbsup:', reporter), 'Toggled :thumbsup: emoji reaction.');
    assert.equal((await on(iid).shown()).upvotes, 1);
    assert.equal(await on(iid).summaryOf('/award :+1:', reporter), 'Toggled :+1: emoji reaction.');
    assert.equal((await on(iid).shown()).upvotes, 0);
    for (const nothing of [':no-such-thing:', 'no-such-thing', ':tada', 'tada!', 'nope', '🎉🎉']) {
      assert.equal(
        await on(iid).summaryOf(`/react ${nothing}`, reporter),
        'Failed to react because no emoji was found.',
        nothing,
      );
    }
  });

  test('a reaction is named with colons, without, or by the emoji itself', async () => {
    for (const [text, name] of [
      [':tada: and more', 'tada'],
      ['tada', 'tada'],
      ['🎉', 'tada'],
      ['❤️', 'heart'],
      ['+1', 'thumbsup'],
      ['👨‍👩‍👧‍👦', 'family_mwgb'],
    ] as const) {
      const { iid } = await rows.issue(project.id);
      const { commands_changes } = expectStatus<Row>(await on(iid).say(`/react ${text}`), 202);
      assert.deepEqual(commands_changes, { emoji_award: name });
      const input = expectStatus<Row[]>(await app.get(`${at(iid)}/award_emoji`), 200);
      assert.deepEqual(
        input.map((reaction) => reaction.name),
        [name],
      );
    }
  });
});

describe('attributes', () => {
  test('confidentiality, weight, health, type and severity', async () => {
    const { iid } = await rows.issue(project.id);
    assert.equal(
      await on(iid).summaryOf('/confidential\n/weight 5\n/health_status at_risk\n/promote_to_incident'),
      'Made this issue confidential. Set weight to 5. Set health status to at_risk. Issue has been promoted to incident.',
    );
    assert.equal(await on(iid).summaryOf('/severity S2'), 'Severity updated to High.');
    const issue = await on(iid).shown();
    assert.deepEqual(
      [issue.confidential, issue.weight, issue.health_status, issue.issue_type, issue.severity],
      [true, 5, 'at_risk', 'incident', 'HIGH'],
    );
    assert.equal(await on(iid).summaryOf('/severity huge'), 'No severity matches the provided parameter');
    assert.equal(
      await on(iid).summaryOf('/clear_weight\n/clear_health_status'),
      'Cleared weight. Cleared health status.',
    );
    assert.equal(
      await on(iid).summaryOf('/clear_weight\n/confidential\n/type task\n/promote_to_incident'),
      'Could not apply clear_weight command. Could not apply confidential command. Type changed successfully. Could not apply promote_to_incident command.',
    );
    assert.equal(await on(iid).summaryOf('/promote_to issue'), 'Promoted successfully.');
    assert.equal(
      await on(iid).summaryOf('/severity low\n/type issue\n/promote_to task'),
      'Could not apply severity command. Failed to convert this work item: Types are the same. Failed to promote this work item: Provided type is not supported.',
    );
    expectStatus(await on(iid).say('/weight much'), 400);
    expectStatus(await on(iid).say('/health_status fine'), 400);
    const mine = await rows.issue(project.id, { author_id: users.guest.user.id });
    assert.equal(
      await on(mine.iid).summaryOf('/confidential\n/weight 1', users.guest),
      'Could not apply confidential command. Could not apply weight command.',
    );
  });

  test('the severity of an incident is also set where it becomes one, or is made', async () => {
    const { iid } = await rows.issue(project.id);
    assert.equal(
      await on(iid).summaryOf('/severity 3\n/promote_to_incident\n/severity 3'),
      'Could not apply severity command. Issue has been promoted to incident. Severity updated to Medium.',
    );
    const first = await on(iid).shown();
    assert.deepEqual([first.issue_type, first.severity], ['incident', 'MEDIUM']);
    const fresh = await app.make.project();
    for (const [input, description, shown] of [
      [{ issue_type: 'incident' }, 'Text\n/severity S1', ['incident', 'CRITICAL', 'Text']],
      [{}, '/promote_to_incident\n/severity low', ['incident', 'LOW', '']],
      [{}, '/severity low', ['issue', 'UNKNOWN', '']],
    ] as const) {
      const json = { title: 'Made', ...input, description };
      const made = expectStatus<Row>(await app.post(`/projects/${fresh.id}/issues`, { json }), 201);
      assert.deepEqual([made.issue_type, made.severity, made.description], shown);
    }
  });

  test('what there is nothing of here is no text, and cannot be applied', async () => {
    const { iid } = await rows.issue(project.id);
    assert.equal(
      await on(iid).summaryOf(
        '/epic &1\n/zoom https://example.org\n/parent_epic &1\n/remove_parent_epic\n/child_epic &1\n/remove_child_epic &1',
      ),
      'Could not apply set_parent command. Could not apply zoom command. Could not apply set_parent command. Could not apply remove_parent command. Could not apply add_child command. Could not apply remove_child command.',
    );
  });

  test('are copied from another issue or merge request of the project alone', async () => {
    for (const name of ['one', 'two']) {
      expectStatus(await app.post(`/projects/${project.id}/labels`, { json: { name, color: '#ff0000' } }), 201);
    }
    const from = await rows.issue(project.id);
    expectStatus(await on(from.iid).say('/label one two'), 202);
    const { iid } = await rows.issue(project.id);
    assert.equal(
      await on(iid).summaryOf(`/copy_metadata #${from.iid}`),
      `Copied labels and milestone from #${from.iid}.`,
    );
    assert.deepEqual((await on(iid).shown()).labels, ['one', 'two']);
    const bare = await rows.issue(project.id);
    const response = expectStatus<Row>(await on(iid).say(`/copy_metadata #${bare.iid}`), 202);
    assert.deepEqual(response, {
      commands_changes: {},
      summary: [`#${bare.iid} has neither labels nor a milestone to copy.`],
    });
    const other = await app.make.project();
    const there = await rows.issue(other.id);
    assert.equal(
      await on(iid).summaryOf(`/copy_metadata ${other.full_path}#${there.iid}`),
      'Failed to find work item or merge request',
    );
  });

  test('an internal change that is refused undoes nothing else', async () => {
    const { iid } = await rows.issue(project.id);
    assert.equal(
      await on(iid).summaryOf('/spend -5h\n/close\n/title Kept'),
      'Time to subtract exceeds the total time spent Closed this issue. Changed the title to "Kept".',
    );
    assert.deepEqual([(await on(iid).shown()).state, (await on(iid).shown()).title], ['closed', 'Kept']);
  });
});

describe('links', () => {
  test('are made, blocked by and taken away', async () => {
    const [a, b, c, d] = [
      await rows.issue(project.id),
      await rows.issue(project.id),
      await rows.issue(project.id),
      await rows.issue(project.id),
    ];
    assert.equal(
      await on(a.iid).summaryOf(`/relate #${b.iid} #${c.iid}`),
      `Added #${b.iid} and #${c.iid} as a linked item related to this issue.`,
    );
    assert.equal(
      await on(a.iid).summaryOf(`/blocked_by #${d.iid}`),
      `Added #${d.iid} as a linked item blocking this issue.`,
    );
    const links = expectStatus<Row[]>(await app.get(`${at(a.iid)}/links`), 200);
    assert.deepEqual(
      links.map(({ iid, link_type }) => [iid, link_type]),
      [
        [b.iid, 'relates_to'],
        [c.iid, 'relates_to'],
        [d.iid, 'is_blocked_by'],
      ],
    );
    assert.equal(await on(a.iid).summaryOf(`/relate #${b.iid}`), `#${b.iid} is already related to this issue.`);
    assert.equal(
      await on(a.iid).summaryOf(`/blocks #${b.iid} #${d.iid}`),
      `#${b.iid} is already related to this issue. Unlink it first to change that. #${d.iid} is already blocking this issue. Unlink it first to change that.`,
    );
    assert.equal(
      await on(d.iid).summaryOf(`/blocked_by #${a.iid}\n/blocks #${a.iid}`),
      `#${a.iid} is already blocked by this issue. Unlink it first to change that. #${a.iid} is already blocked by this issue.`,
    );
    assert.equal(await on(a.iid).summaryOf(`/unlink #${b.iid}`), `Removed linked item #${b.iid}.`);
    assert.equal(await on(a.iid).summaryOf(`/unlink #${b.iid}`), 'No linked issue matches the provided parameter.');
    assert.equal(
      await on(a.iid).summaryOf(`/relate #999999`),
      'No matching issue found. Make sure that you are adding a valid issue URL.',
    );
    assert.equal(await on(a.iid).summaryOf(`/blocks #${b.iid}`, users.guest), 'Could not apply blocks command.');
    const alone = await rows.issue(project.id);
    assert.match(await on(alone.iid).summaryOf(`/relate #${alone.iid}`), /cannot be related to itself/);
  });

  test('to what the caller may not see are told of like those to nothing', async () => {
    const hidden = await app.make.project();
    const there = await rows.issue(hidden.id);
    const { iid } = await rows.issue(project.id);
    const nothing = 'No matching issue found. Make sure that you are adding a valid issue URL.';
    for (const name of [`${hidden.full_path}#${there.iid}`, `${hidden.full_path}#9999`, 'no/such#1']) {
      assert.equal(await on(iid).summaryOf(`/relate ${name}`, users.reporter), nothing);
      assert.match(await on(iid).summaryOf(`/duplicate ${name}`, users.reporter), /referenced item was not found/);
    }
  });

  test('a duplicate is closed, and both tell', async () => {
    const [a, b] = [await rows.issue(project.id), await rows.issue(project.id)];
    const response = expectStatus<Row>(await on(a.iid).say(`/duplicate #${b.iid}`), 202);
    assert.match(String(response.summary), /^Closed this issue\. Marked as related to, and a duplicate of, http.*\.$/);
    assert.deepEqual(response.commands_changes, { canonical_issue_id: b.id });
    assert.equal((await on(a.iid).shown()).state, 'closed');
    assert.ok((await on(a.iid).bodies('only_activity')).includes(`marked this issue as a duplicate of #${b.iid}`));
    assert.ok((await on(b.iid).bodies('only_activity')).includes(`marked #${a.iid} as a duplicate of this issue`));
    assert.equal(expectStatus<Row[]>(await app.get(`${at(b.iid)}/links`), 200).length, 1);
    assert.match(await on(a.iid).summaryOf(`/duplicate #${a.iid}`), /duplicate of itself/);
  });
});

describe('moving and cloning', () => {
  test('take the text along', async () => {
    const to = await app.make.project();
    const { iid } = await rows.issue(project.id, { title: 'Goes' });
    expectStatus(await on(iid).say(`Over there\n/move ${to.full_path}`), 201);
    assert.equal((await on(iid).shown()).state, 'closed');
    const [moved] = expectStatus<Row[]>(await app.get(`/projects/${to.id}/issues`), 200);
    assert.equal(moved!.title, 'Goes');
    const notes = expectStatus<Row[]>(
      await app.get(`${at(moved!.iid as number, to)}/notes`, { query: { activity_filter: 'only_comments' } }),
      200,
    );
    assert.deepEqual(
      notes.map(({ body }) => body),
      ['Over there'],
    );
    const other = await rows.issue(project.id, { title: 'Stays' });
    assert.equal(await on(other.iid).summaryOf(`/clone ${to.full_path}`), `Cloned this item to ${to.full_path}.`);
    assert.equal((await on(other.iid).shown()).state, 'opened');
    assert.match(
      await on(other.iid).summaryOf(`/clone ${to.full_path}\n`.repeat(3)),
      /^Cloned this item to \S+ Could not apply clone command\. Could not apply clone command\.$/,
    );
    assert.equal(await on(other.iid).summaryOf('/clone a b'), 'Failed to clone this item: wrong parameters.');
    assert.match(
      await on(other.iid).summaryOf(`/move ${project.full_path}`),
      /Cannot move issue to project it originates from/,
    );
  });

  test('to what the caller may not see are answered like those to nothing', async () => {
    const hidden = await app.make.project();
    const open = await app.make.project({ visibility: 'public' });
    const { iid } = await rows.issue(project.id);
    const nothing = "Target project or group doesn't exist or doesn't support this item type.";
    for (const verb of ['move', 'clone']) {
      for (const path of [hidden.full_path, 'no/such']) {
        assert.equal(await on(iid).summaryOf(`/${verb} ${path}`, users.reporter), `Unable to ${verb}. ${nothing}`);
      }
      assert.equal(
        await on(iid).summaryOf(`/${verb} ${open.full_path}`, users.reporter),
        `Unable to ${verb}. Insufficient permissions.`,
      );
      assert.equal(
        await on(iid).summaryOf(`/${verb} ${open.full_path}`, users.guest),
        `Could not apply ${verb} command.`,
      );
    }
    assert.equal((await on(iid).shown()).state, 'opened');
  });
});

test('a confidential issue is none for those who may not see it', async () => {
  const { iid } = await rows.issue(project.id, { confidential: 1 });
  expectStatus(await on(iid).say('/close', users.guest), 404);
  expectStatus(await on(iid).say('/close', users.reporter), 202);
});

test('on a free server what takes a paid plan cannot be applied, and one person is assigned', async (t) => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  t.after(() => free.close());
  const project = await free.make.project();
  const { developer } = await free.make.members(project);
  const { iid } = await new Rows(free.deps).issue(project.id);
  const body = `/weight 3\n/health_status at_risk\n/assign me @${developer.user.username}`;
  const response = expectStatus<Row>(
    await free.post(`/projects/${project.id}/issues/${iid}/notes`, { json: { body } }),
    202,
  );
  assert.deepEqual(response.summary, [
    'Could not apply weight command. Could not apply health_status command. Assigned @root.',
  ]);
});
