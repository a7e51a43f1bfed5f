import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { mirrorSettings } from '../../../mirroring/pull/pull-mirror.settings.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { mirrorAdmin } from '../mirror-access.ts';
import { PullMirrorEvent, PullMirrorUpdate, UPDATE_NAMES } from './pull-mirrors.inputs.ts';
import { PullMirror } from './pull-mirrors.responses.ts';
import { presentPullMirror } from './pull-mirrors.views.ts';
import { changePullMirror, notMirrored, startUpdate } from './pull-mirrors.writes.ts';

/** What webhooks of other hosts say of themselves; who calls is told by the token alone. */
const WEBHOOK_HEADERS = ['x-hub-signature', 'x-hub-signature-256', 'x-github-event', 'x-gitlab-event'];
const isWebhook = (headers: Record<string, unknown>) => WEBHOOK_HEADERS.some((name) => headers[name] !== undefined);

const PATH = '/projects/:id/mirror/pull';

export const pullMirrorRoutes = [
  route({
    method: 'GET',
    path: PATH,
    operationId: 'getProjectPullMirror',
    summary: 'Get the pull mirror of a project',
    description: 'What the project follows, and how its last update ended. 400 where it follows nothing.',
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
    summary: 'Set up, change or end the pull mirroring of a project',
    description:
      'Whoever changes it is the user in whose name, and with whose rights, updates are done from then on. An update begins at once.',
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
      'It is done in the background; `update_status` tells how far it is. 400 where the project follows nothing. A webhook of an external host may call it, too: a pull request in its body has to be complete and within one repository, else 422; after too many failures it is 403 for a webhook, while a call of a person begins anew.',
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
