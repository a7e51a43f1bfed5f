import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';
import { turnsDuring } from '../../test/support/turns.ts';
import { projectPermissions } from '../access/permissions.ts';
import { type ChangeCheck, refuseChanges } from './check-changes.ts';
import type { Actor, Protection } from './repository.protections.ts';

let app: TestApp;
let statements = 0;
before(async () => {
  app = await buildTestApp({
    onQuery: () => {
      statements += 1;
    },
  });
});
after(() => app.close());

const oid = (n: number) => n.toString(16).padStart(40, '0');
const changes = Array.from({ length: 20_000 }, (_, n) => ({ ref: `refs/heads/many/${n}`, old: null, new: oid(n + 1) }));
const protection = (id: number, name: string, groups: readonly number[] = []): Protection => ({
  id,
  project_id: 1,
  kind: 'branch',
  name,
  allow_force_push: 0,
  code_owner_approval_required: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  levels: groups.map((group_id, at) => ({
    id: id * 10 + at,
    protected_ref_id: id,
    action: 'push',
    access_level: null,
    user_id: null,
    group_id,
    deploy_key_id: null,
  })),
});

async function checkOf(protections: readonly Protection[], groupId?: number): Promise<ChangeCheck> {
  const project = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ project }, user, 30);
  if (groupId !== undefined) {
    const group = await app.deps.db
      .selectFrom('namespaces')
      .selectAll()
      .where('id', '=', groupId)
      .executeTakeFirstOrThrow();
    await app.make.member({ group }, user, 30);
  }
  const caller = { user, admin: false, credential: { kind: 'password' } } as unknown as Actor['caller'];
  const namespace = await app.deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirstOrThrow();
  const permissions = await projectPermissions(app.deps, caller, project, namespace);
  const actor: Actor = { caller, permissions };
  const isAncestor = async () => true;
  return { deps: app.deps, actor, protections, defaultBranch: 'main', via: 'git', isAncestor };
}

describe('a check of many changes', () => {
  test('gives others their turn', async () => {
    const protections = Array.from({ length: 100 }, (_, n) => protection(n + 1, `release-${n}/*/x`));
    const check = await checkOf(protections);
    let reason: string | null = '';
    const turns = await turnsDuring(async () => {
      reason = await refuseChanges(check, changes);
    });
    assert.equal(reason, null);
    assert.ok(turns > 3, `${turns} turns`);
  });

  test('asks once what all of them that fall under the same protections need', async () => {
    const group = await app.make.group();
    const check = await checkOf([protection(1, 'many/*', [group.id])], group.id);
    const before = statements;
    assert.equal(await refuseChanges(check, changes), null);
    assert.ok(statements - before < 5, `${statements - before} statements`);
    const stranger = await checkOf([protection(1, 'many/*', [group.id])]);
    assert.match((await refuseChanges(stranger, changes)) ?? '', /not allowed to create protected branches/);
  });

  test('does not ask git of branches that may be forced', async () => {
    const group = await app.make.group();
    const forced = { ...protection(1, '*', [group.id]), allow_force_push: 1 as const };
    const check = await checkOf([forced], group.id);
    const moved = changes.slice(0, 10).map((change) => ({ ...change, old: oid(99_999) }));
    const isAncestor = () => Promise.reject(new Error('git was asked'));
    assert.equal(await refuseChanges({ ...check, isAncestor }, moved), null);
    await assert.rejects(refuseChanges({ ...check, isAncestor, protections: [protection(1, '*', [group.id])] }, moved));
  });
});
