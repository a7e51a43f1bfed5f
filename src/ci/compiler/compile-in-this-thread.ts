import type { Compiled, CompileRequest } from '../compile-request.ts';
import { loadConfig } from '../config/ci-config.load.ts';
import { evaluate } from '../evaluation/evaluation.evaluate.ts';
import { readConfig } from '../keywords/read-config.ts';

/** Compiles in this thread: loads, reads and evaluates, until there are errors. */
export async function compileInThisThread(request: CompileRequest): Promise<Compiled> {
  const { pipeline, sources, context } = request;
  if (request.content.trim() === '') return failed(['Please provide content of .gitlab-ci.yml']);
  const { tree, mergedYaml, includes, keysWithoutText, errors, warnings } = await loadConfig(request);
  if (tree === null) return failed(errors);
  const read = readConfig(tree, keysWithoutText);
  const compiled = { mergedYaml, includes, config: null, evaluated: null, errors: read.errors, warnings: [] };
  if (read.config === null || read.errors.length > 0) return compiled;
  const whole = { ...compiled, config: read.config, warnings: [...warnings, ...read.warnings] };
  if (pipeline === null) return whole;
  const evaluated = await evaluate(read.config, pipeline, sources, context);
  return { ...whole, evaluated, errors: evaluated.errors, warnings: [...whole.warnings, ...evaluated.warnings] };
}

/** Result for a configuration that could not be loaded. */
export const failed = (errors: string[]): Compiled => ({
  mergedYaml: null,
  includes: null,
  config: null,
  evaluated: null,
  errors,
  warnings: [],
});
