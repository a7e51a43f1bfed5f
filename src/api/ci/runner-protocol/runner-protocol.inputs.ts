import { type Static, Type } from 'typebox';
import { optional, Secret } from '../../../http/http.schema.ts';

export const tokenParameter = {
  token: Type.Optional(Secret({ description: 'Token of the runner, unless a header contains it.' })),
};

const systemId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Id of the machine, for runners that share a token.',
});

export const systemIdParameter = { system_id: Type.Optional(systemId) };
export const requiredSystemId = { system_id: systemId };

/** Information that a runner reports about itself. */
export const RunnerInfo = optional({
  name: Type.String({ description: 'Name of the runner program.' }),
  version: Type.String({ description: 'Version of the runner program.' }),
  revision: Type.String({ description: 'Commit that the program was built from.' }),
  platform: Type.String({ description: 'Operating system.' }),
  architecture: Type.String({ description: 'Processor.' }),
  executor: Type.String({ description: 'Executor that runs the jobs.' }),
  shell: Type.String({ description: 'Shell that runs the scripts.' }),
  features: Type.Record(Type.String(), Type.Boolean(), { maxProperties: 200, description: 'Features of the runner.' }),
  config: Type.Unsafe<{ gpus?: string }>({
    ...optional({ gpus: Type.String({ description: 'Whether jobs may use GPUs.' }) }),
    description: 'Configuration of the runner.',
  }),
  labels: Type.Record(Type.String(), Type.String(), { maxProperties: 32, description: 'Labels of the machine.' }),
});
export type RunnerInfo = Static<typeof RunnerInfo>;

export const infoParameter = {
  info: Type.Optional(Type.Unsafe<RunnerInfo>({ ...RunnerInfo, description: 'Information about the runner.' })),
};
