import type { PipelineContext } from '../compile-request.ts';
import { isPattern, readPattern } from '../expressions/expressions.pattern.ts';
import type { JobConfig, PipelineConfig, RefPolicy } from '../pipeline-config.ts';
import { isTrue } from './evaluation.rules.ts';
import type { RuleFiles } from './rule-files.ts';
import type { VariableScope } from './scope.ts';

const EVERY_REF = ['branches', 'tags'];

/** `only` of a job, including the platform's default: branches and tags, unless the job has rules. */
export function onlyOf(job: JobConfig, workflow: PipelineConfig['workflow']): RefPolicy | null {
  if (job.only !== null) return { ...job.only, refs: job.only.refs ?? EVERY_REF };
  if (job.rules !== null || workflow.rules !== null) return null;
  return { refs: EVERY_REF, variables: null, changes: null, kubernetes: null };
}

/** Whether `only` includes a job: all its keys must match. */
export async function matchesOnly(
  policy: RefPolicy,
  context: PipelineContext,
  scope: VariableScope,
  files: RuleFiles,
): Promise<boolean> {
  for (const holdsHere of conditions(policy, context, scope, files)) if (!(await holdsHere())) return false;
  return true;
}

/** Whether `except` excludes a job: one matching key suffices. */
export async function matchesExcept(
  policy: RefPolicy,
  context: PipelineContext,
  scope: VariableScope,
  files: RuleFiles,
): Promise<boolean> {
  for (const holdsHere of conditions(policy, context, scope, files)) if (await holdsHere()) return true;
  return false;
}

function* conditions(
  { refs, variables, changes, kubernetes }: RefPolicy,
  context: PipelineContext,
  scope: VariableScope,
  files: RuleFiles,
): Generator<() => boolean | Promise<boolean>> {
  if (refs !== null) yield () => refs.some((ref) => isRef(ref, context));
  if (kubernetes !== null) yield () => scope.get('CI_KUBERNETES_ACTIVE')?.value === 'true';
  if (variables !== null) yield () => variables.some((text) => isTrue(text, scope));
  if (changes !== null) yield () => files.changed({ paths: changes, compareTo: null }, scope);
}

/**
 * Whether an entry of `refs` matches the pipeline: a keyword, a source, a name or a pattern, optionally with `@` and a
 * project path.
 */
function isRef(entry: string, { ref, refType, source, projectPath }: PipelineContext): boolean {
  const at = entry.indexOf('@');
  const name = at === -1 ? entry : entry.slice(0, at);
  if (at !== -1 && entry.slice(at + 1) !== projectPath) return false;
  if (refType === 'tag' && name === 'tags') return true;
  if (refType === 'branch' && name === 'branches') return true;
  const cause = source.replace(/_event$/, '');
  if (name === cause || name === plural(cause)) return true;
  if (refType === 'merge_request') return false;
  return isPattern(name) ? (readPattern(name)?.test(ref) ?? false) : name === ref;
}

function plural(word: string): string {
  if (word.endsWith('y')) return `${word.slice(0, -1)}ies`;
  return word.endsWith('h') ? `${word}es` : `${word}s`;
}
