import type { PipelineVariableInput } from './pipeline-creation.save.ts';

/** Pipeline options of a push. */
export interface PipelinePushOptions {
  /** Whether to skip the jobs. */
  skip: boolean;
  variables: PipelineVariableInput[];
  inputs: Record<string, string>;
}

const NO = new Set(['false', '0', 'no', 'off', 'f']);
const MAX_VARIABLES = 100;

/**
 * Parses `ci.skip`, `ci.variable=KEY=value` and `ci.input=name=value` (the latter two may be repeated); ignores invalid
 * options. For duplicate names the last one wins.
 */
export function parsePushOptions(input: readonly string[]): PipelinePushOptions {
  let skip = false;
  const variables = new Map<string, string>();
  const inputs = new Map<string, string>();
  for (const option of input) {
    const [, name, value] = /^\s*ci\.([a-z_]+)(?:=(.*))?$/s.exec(option) ?? [];
    if (name === 'skip') skip = !NO.has((value ?? '').trim().toLowerCase());
    const [, key, text] = /^\s*([^=\s]+)=(.*)$/s.exec(value ?? '') ?? [];
    if (key === undefined || text === undefined) continue;
    if (name === 'variable' && /^\w{1,255}$/.test(key) && variables.size < MAX_VARIABLES) variables.set(key, text);
    if (name === 'input' && inputs.size < MAX_VARIABLES) inputs.set(key, text);
  }
  return {
    skip,
    variables: [...variables].map(([key, value]) => ({ key, value, variable_type: 'env_var' })),
    inputs: Object.fromEntries(inputs),
  };
}
