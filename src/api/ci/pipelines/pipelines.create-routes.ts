import { invalidModel } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { createPipeline } from '../../../pipelines/creation/pipeline-creation.create.ts';
import { inProjectByUser } from '../../api.access.ts';
import { Pipeline, presentPipeline } from '../../code/index.ts';
import { CreatePipeline } from './pipelines.inputs.ts';

export const pipelineCreateRoutes = [
  route({
    method: 'POST',
    path: '/projects/:id/pipeline',
    summary: 'Start a pipeline',
    description:
      'Runs for the last commit of a branch or tag, with the configuration of that commit. If the configuration is invalid, no pipeline is created and `errors` lists the problems.',
    access: inProjectByUser('create_pipeline'),
    input: CreatePipeline,
    success: { status: 201, schema: Pipeline },
    errors: [400],
    expensive: true,
    handler: async ({ deps, project, caller, input }) => {
      const { pipeline, texts } = await createPipeline(deps, {
        projectId: project.id,
        source: 'api',
        userId: caller.user.id,
        ref: input.ref,
        variables: (input.variables ?? []).map(({ key, value, variable_type = 'env_var' }) => ({
          ...{ key, value, variable_type },
        })),
        inputs: input.inputs ?? {},
      });
      if (pipeline === null) throw invalidModel({ base: [...texts] });
      return presentPipeline(deps, pipeline, project);
    },
  }),
];
