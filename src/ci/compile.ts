import type { Compiled, CompileRequest } from './compile-request.ts';
import { loadConfig } from './config/load.ts';

/** From the text of a configuration to the pipeline that it makes, or to what is wrong with it. */
export async function compile(request: CompileRequest): Promise<Compiled> {
  if (request.content.trim() === '') return nothing('Please provide content of .gitlab-ci.yml');
  const loaded = await loadConfig(request);
  const { mergedYaml, includes, errors, warnings } = loaded;
  return { mergedYaml, includes, config: null, evaluated: null, errors, warnings };
}

const nothing = (error: string): Compiled => ({
  mergedYaml: null,
  includes: null,
  config: null,
  evaluated: null,
  errors: [error],
  warnings: [],
});
