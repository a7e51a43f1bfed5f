import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of variables mean. */
export const variableWords: Vocabulary['words'] = {
  variable_type: ['`env_var`, or `file`: the job then has the path of a file with the value.', 'env_var'],
  masked: ['Whether logs hide the value.', true],
  hidden: ['Whether no answer shows the value any more.', false],
  masked_and_hidden: ['Whether logs hide the value and no answer shows it.', false],
  raw: ['Whether references to other variables in the value stay as they are.', false],
  environment_scope: ['Environments whose jobs have it: a name, a pattern with `*`, or `*` for all jobs.', 'review/*'],
  filter: ['Which of several is meant.'],
  'Variable.key': ['What jobs know it as.', 'DEPLOY_TARGET'],
  'Variable.value': ['Its value; null where it is hidden.', 'staging'],
  'Variable.protected': ['Whether only jobs of protected branches and tags have it.', true],
  'Variable.description': ['What it is for.', 'Where the app goes'],
  'InstanceVariable.key': ['What jobs know it as.', 'PROXY'],
  'InstanceVariable.value': ['Its value.', 'proxy.example'],
  'InstanceVariable.protected': ['Whether only jobs of protected branches and tags have it.', true],
  'InstanceVariable.description': ['What it is for.', 'The way out'],
};
