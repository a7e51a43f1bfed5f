import { ConfigError } from '../config/config-error.ts';
import type { Tree, TreeMap } from '../config/loaded.ts';
import type { PipelineConfig } from '../pipeline-config.ts';
import { caches } from './cache.keyword.ts';
import { checkJobs } from './check-jobs.ts';
import { commands, stages } from './commands.keyword.ts';
import { ConfigNode, Problems } from './config-node.ts';
import { checkCycles } from './cycles.ts';
import { duplicateDefaults, readDefaults, withTopLevelKeys } from './defaults.ts';
import { image, services } from './image.ts';
import { kindOf, readJobs } from './jobs.keyword.ts';
import { multiply } from './multiply.ts';
import type { WrittenJob } from './processable.ts';
import { variables } from './variables.keyword.ts';
import { checkWeight } from './weight.ts';
import { keywordTable } from './words.keyword.ts';
import { workflow } from './workflow.ts';

const MAX_WARNINGS = 25;

/** Top-level keywords, which cannot be job names. */
const TOP = keywordTable({
  before_script: commands,
  image,
  services,
  after_script: commands,
  variables: variables(['value', 'description', 'expand', 'options']),
  stages,
  cache: caches,
});
const RESERVED = new Set(['include', ...TOP.names]);

const DEFAULT_STAGES = ['build', 'test', 'deploy'];
const NO_WORKFLOW: PipelineConfig['workflow'] = {
  name: null,
  rules: null,
  autoCancel: { onNewCommit: null, onJobFailure: null },
};

/** Splits a configuration into top-level keywords and jobs. `default` and `workflow` may also be jobs. */
function parted(tree: TreeMap): { top: TreeMap; jobs: TreeMap } {
  const isTop = ([name, value]: [string, Tree]) =>
    RESERVED.has(name) || ((name === 'default' || name === 'workflow') && kindOf(name, value) === null);
  const entries = Object.entries(tree);
  return {
    top: Object.fromEntries(entries.filter(isTop)),
    jobs: Object.fromEntries(entries.filter((entry) => !isTop(entry))),
  };
}

/** All parsed keywords of a configuration. */
interface Written {
  stages: string[];
  workflow: PipelineConfig['workflow'];
  variables: PipelineConfig['variables'];
  jobs: WrittenJob[];
}

/** `.pre` comes first and `.post` last, wherever they are listed. */
const withEnds = (named: readonly string[]) => [
  ...new Set(['.pre', ...named.filter((stage) => stage !== '.pre' && stage !== '.post'), '.post']),
];

function readWords(tree: TreeMap, jobs: TreeMap, keysWithoutText: ReadonlySet<string>, at: ConfigNode): Written {
  const block = readDefaults(tree, at);
  const top = TOP.read(tree, at);
  const workflowConfig = at.read(tree, 'workflow', workflow);
  return {
    stages: withEnds(top.stages ?? DEFAULT_STAGES),
    workflow: workflowConfig ?? NO_WORKFLOW,
    variables: top.variables ?? [],
    jobs: readJobs(
      jobs,
      keysWithoutText,
      { defaults: withTopLevelKeys(block, top), hasWorkflowRules: workflowConfig?.rules != null },
      at,
    ),
  };
}

/**
 * Reads a configuration.
 * @param tree with includes, extends and references resolved
 * @param keysWithoutText top-level keys that are numbers, booleans or null
 * @returns `config` is null if there are errors, which are in the platform's words and order
 */
export function readConfig(
  tree: TreeMap,
  keysWithoutText: ReadonlySet<string> = new Set(),
): { config: PipelineConfig | null; errors: string[]; warnings: string[] } {
  const { top, jobs } = parted(tree);
  const twice = duplicateDefaults(top);
  if (twice !== undefined) {
    return { config: null, errors: [`${twice} is defined in top-level and \`default:\` entry`], warnings: [] };
  }
  const problems = new Problems();
  const result = (config: PipelineConfig | null, errors: Iterable<string>) => ({
    config,
    errors: [...errors],
    warnings: problems.warnings.slice(0, MAX_WARNINGS),
  });
  try {
    const written = readWords(top, jobs, keysWithoutText, new ConfigNode(problems));
    return problems.count > 0 ? result(null, problems.errors) : result(whole(tree, written), []);
  } catch (error) {
    if (error instanceof ConfigError) return result(null, [error.message]);
    throw error;
  }
}

function whole(tree: TreeMap, { jobs: written, ...others }: Written): PipelineConfig {
  checkWeight(tree, written);
  const jobs = multiply(written);
  checkJobs(others.stages, jobs);
  checkCycles(jobs);
  return { ...others, jobs };
}
