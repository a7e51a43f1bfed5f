import { Type } from 'typebox';
import type { BaseContext, Route } from '../../../http/http.route.ts';
import { route } from '../../../http/http.route.ts';
import { openAbility } from '../../api.access.ts';
import { Pipeline, presentPipeline } from '../../code/index.ts';
import { RefParam, startAtRef, startPipeline } from './triggers.inputs.ts';
import { startByToken } from './triggers.start.ts';

const ProjectParam = Type.Object({ id: Type.String({ description: 'Id or URL-encoded full path of the project.' }) });
const description =
  'The token is the only credential needed. Jobs find the whole payload in the file named by `TRIGGER_PAYLOAD`.';

/** Parameters with credentials, which are left out of the payload for jobs. */
const CREDENTIALS = new Set(['token', 'private_token', 'access_token', 'job_token']);

async function start(
  { deps, sent }: BaseContext,
  project: string,
  input: { ref: string; token: string; variables?: unknown; inputs?: Record<string, unknown> },
) {
  const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => !CREDENTIALS.has(name)));
  const payload = { ...rest, id: project, ref: input.ref };
  const made = await startByToken(deps, { ...input, project, payload });
  return presentPipeline(deps, made.pipeline, made.project);
}

/** Starting pipelines with a trigger token. */
export const triggerStartRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/trigger/pipeline',
    operationId: 'triggerProjectPipeline',
    summary: 'Trigger a pipeline',
    description,
    access: openAbility('trigger_pipeline'),
    params: ProjectParam,
    input: startPipeline,
    success: { status: 201, schema: Pipeline },
    errors: [401, 404],
    handler: (c) => start(c, c.params.id, c.input),
  }),
  route({
    method: 'POST',
    path: '/projects/:id/ref/:ref/trigger/pipeline',
    operationId: 'triggerProjectPipelineAtRef',
    summary: 'Trigger a pipeline for a branch or tag',
    description,
    access: openAbility('trigger_pipeline'),
    params: Type.Object({ ...ProjectParam.properties, ...RefParam.properties }),
    input: startAtRef,
    success: { status: 201, schema: Pipeline },
    errors: [401, 404],
    handler: (c) => start(c, c.params.id, { ...c.input, ref: c.params.ref }),
  }),
];
