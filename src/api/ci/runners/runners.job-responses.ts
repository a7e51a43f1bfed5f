import { Type } from 'typebox';
import { Job } from '../jobs/jobs.responses.ts';

const ProjectOfRunner = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
});

/** A job of a runner, with its project. */
export const RunnerJob = Type.Object({ ...Job.properties, project: ProjectOfRunner });
