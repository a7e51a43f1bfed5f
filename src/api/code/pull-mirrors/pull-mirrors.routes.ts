import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { mirrorSettings } from '../../../mirroring/pull/pull-mirror.settings.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { mirrorAdmin } from '../mirror-access.ts';
import { PullMirrorEvent, PullMirrorUpdate, UPDATE_NAMES } from './pull-mirrors.inputs.ts';
import { PullMirror } from './pull-mirrors.responses.ts';
import { presentPullMirror } from './pull-mirrors.views.ts';
import { changePullMirror, notMirrored, startUpdate } from './pull-mirrors.writes.ts';

/** Headers of webhooks of other hosts. They are ignored: the token identifies the caller. */
const WEBHOOK_HEADERS = ['x-hub-signature', 'x-hub-signature-256', 'x-github-event', 'x-gitlab-event'];
const isWebhook = (headers: Record<string, unknown>) => WEBHOOK_HEADERS.some((name) => headers[name] !== undefined);

const PATH = '/projects/:id/mirror/pull';

export const pullMirrorRoutes = [
  route({
    method: 'GET',
    path: PATH,
    operationId: 'getProjectPullMirror',
    summary: 'Get the pull mirror of a project',
    description: 'Configuration and result of the last update. 400 if the project is not a pull mirror.',
    access: inProject('admin_project'),
    plan: 'premium',
    success: { status: 200, schema: PullMirror },
    handler: async ({ deps, project }) => {
      const row = await deps.db
        .selectFrom('pull_mirrors')
        .selectAll()
        .where('project_id', '=', project.id)
        .executeTakeFirst();
      if (row === undefined || !mirrorSettings(project).mirror) throw notMirrored();
      return presentPullMirror(deps, project, row);
    },
  }),
  route({
    method: 'PUT',
    path: PATH,
    operationId: 'updateProjectPullMirror',
    summary: 'Configure pull mirroring of a project',
    description:
      'Updates run as the user who last changed the configuration, with their permissions. The first update starts immediately.',
    access: mirrorAdmin('admin_pull_mirror'),
    plan: 'premium',
    input: PullMirrorUpdate,
    rules: { atLeastOne: [UPDATE_NAMES] },
    success: { status: 200, schema: PullMirror },
    handler: async ({ deps, caller, project, input }) => {
      const changed = await changePullMirror(deps, caller, project, input);
      return presentPullMirror(deps, changed.project, changed.row);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    operationId: 'startProjectPullMirror',
    summary: 'Start an update of the pull mirror of a project',
    description:
      'Runs in the background; see `update_status`. 400 if the project is not a pull mirror. Webhooks of external hosts can call it too: a pull request event must be complete and within one repository, otherwise the response is 422. After too many failures webhooks get 403 until a user starts an update.',
    access: inProjectByUser('admin_pull_mirror'),
    plan: 'premium',
    input: PullMirrorEvent,
    success: { status: 202, schema: Type.Object({ message: Type.String() }) },
    errors: [422],
    handler: async ({ deps, caller, project, input, request }) => {
      await startUpdate(deps, caller, project, input, isWebhook(request.headers) ? 'webhook' : 'person');
      return { message: '202 Accepted' };
    },
  }),
];
