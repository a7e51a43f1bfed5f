import { type Static, Type } from 'typebox';
import { optional, Secret } from '../../../http/http.schema.ts';

export const tokenParameter = {
  token: Type.Optional(Secret({ description: 'The token of the runner, where no header holds it.' })),
};

const systemId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Which of the machines that share the token.',
});

export const systemIdParameter = { system_id: Type.Optional(systemId) };
export const requiredSystemId = { system_id: systemId };

/** What a runner says of itself. */
export const RunnerInfo = optional({
  name: Type.String({ description: 'Name of the program.' }),
  version: Type.String({ description: 'Version of the program.' }),
  revision: Type.String({ description: 'Commit that the program was built from.' }),
  platform: Type.String({ description: 'Operating system.' }),
  architecture: Type.String({ description: 'Processor.' }),
  executor: Type.String({ description: 'How it runs jobs.' }),
  shell: Type.String({ description: 'What runs the scripts.' }),
  features: Type.Record(Type.String(), Type.Boolean(), { maxProperties: 200, description: 'What it is able to do.' }),
  config: Type.Unsafe<{ gpus?: string }>({
    ...optional({ gpus: Type.String({ description: 'Graphics processors that jobs may use.' }) }),
    description: 'How it is set up.',
  }),
  labels: Type.Record(Type.String(), Type.String(), { maxProperties: 32, description: 'Words about the machine.' }),
});
export type RunnerInfo = Static<typeof RunnerInfo>;

export const infoParameter = {
  info: Type.Optional(Type.Unsafe<RunnerInfo>({ ...RunnerInfo, description: 'What the runner says of itself.' })),
};
