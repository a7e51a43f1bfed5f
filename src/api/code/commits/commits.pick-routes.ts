import { type Static, Type } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { route } from '../../../http/http.route.ts';
import { Filled } from '../../../http/http.schema.ts';
import { type PickKind, pickCommit, requirePush } from '../../../repositories/pick-commit.ts';
import type { Actor } from '../../../repositories/repository.protections.ts';
import { type ProjectScope, pusher } from '../../api.access.ts';
import { CommitSha, findCommit } from './commits.find.ts';
import { Commit } from './commits.responses.ts';
import { presentCommit, projectUrl } from './commits.views.ts';

const revertInput = {
  branch: Filled({ description: 'Branch to commit to.' }),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'Check whether the commit applies cleanly, without committing.' }),
  ),
};
const pickInput = Type.Object({
  ...revertInput,
  message: Type.Optional(Type.String({ description: 'Message of the new commit.' })),
});
const DryRun = Type.Object({ dry_run: Type.Literal('success') });

type Picking = BaseContext & ProjectScope & { actor: Actor & { caller: UserCaller }; params: { sha: string } };

async function pick(c: Picking, kind: PickKind, input: Static<typeof pickInput>) {
  const { deps, project, actor } = c;
  await requirePush(deps, actor, project, input.branch);
  const { repo, commit } = await findCommit(deps, project, c.params.sha);
  const { branch, message, dry_run: dryRun = false } = input;
  const oid = await pickCommit(deps, { kind, project, actor, commit, branch, message, dryRun });
  if (oid === null) {
    c.reply.code(200);
    return { dry_run: 'success' };
  }
  const made = await repo.objects.commit(oid);
  if (made === null) throw notFound('Commit');
  return presentCommit(made, projectUrl(deps, project));
}

const common = {
  method: 'POST',
  access: pusher,
  params: Type.Object(CommitSha),
  success: { status: 201, schema: Commit },
  otherSuccess: { status: 200, schema: DryRun, description: 'The commit applies cleanly; only for a dry run.' },
  errors: [400, 403, 404],
} as const;

export const commitPickRoutes = [
  route({
    ...common,
    path: '/projects/:id/repository/commits/:sha/cherry_pick',
    summary: 'Cherry-pick a commit',
    input: pickInput,
    handler: (c) => pick(c, 'cherry-pick', c.input),
  }),
  route({
    ...common,
    path: '/projects/:id/repository/commits/:sha/revert',
    summary: 'Revert a commit',
    input: Type.Object(revertInput),
    handler: (c) => pick(c, 'revert', c.input),
  }),
];
