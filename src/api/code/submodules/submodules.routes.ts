import { Type } from 'typebox';
import { badRequest } from '../../../core/core.errors.ts';
import { withoutLeadingSlash } from '../../../git/commits/index.ts';
import { route } from '../../../http/http.route.ts';
import { Filled } from '../../../http/http.schema.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitFiles } from '../../../repositories/commit-files.ts';
import { pusher } from '../../api.access.ts';
import { commitDetail } from '../commits/commits.detail-views.ts';
import { CommitDetail } from '../commits/commits.responses.ts';

/** A full commit id, but not all zeros. */
const COMMIT_ID = /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export const submoduleRoutes = [
  route({
    method: 'PUT',
    path: '/projects/:id/repository/submodules/:submodule',
    summary: 'Update a submodule reference',
    description:
      'Creates a commit on the branch. The commit of the submodule is in another repository and is not checked.',
    access: pusher,
    params: Type.Object({ submodule: Type.String({ description: 'URL-encoded path of the submodule.' }) }),
    input: Type.Object({
      branch: Filled({ description: 'Branch to commit to.' }),
      commit_sha: Filled({ description: 'Full id of the new commit of the submodule.' }),
      commit_message: Type.Optional(Type.String({ description: 'Commit message; generated when absent.' })),
    }),
    success: { status: 200, schema: CommitDetail },
    errors: [400, 403, 404],
    handler: async (c) => {
      const { deps, project, actor, params, input } = c;
      const path = withoutLeadingSlash(params.submodule);
      const sha = input.commit_sha.toLowerCase();
      if (!COMMIT_ID.test(sha)) throw badRequest('commit_sha must be the full id of a commit');
      const oid = await commitFiles(deps, {
        project,
        actor,
        branch: input.branch,
        message: input.commit_message?.trim() ? input.commit_message : `Updated submodule ${path} with oid ${sha}`,
        actions: [{ action: 'submodule', path, oid: sha }],
        notAllowed: 403,
      });
      return commitDetail(deps, c, repositoryOf(deps, project), oid, true);
    },
  }),
];
