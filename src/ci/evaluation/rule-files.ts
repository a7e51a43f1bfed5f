import { globMatcher } from '../globs.ts';
import type { ChangesRule, ExistsRule } from '../pipeline-config.ts';
import type { ConfigSources, SourceContext } from '../sources.ts';
import type { VariableScope } from './scope.ts';

/** Why a rule cannot be evaluated; the text follows "Failed to parse rule for <job>: ". */
export class RuleError extends Error {
  override name = 'RuleError';
}

/** Number of path comparisons after which a condition counts as true. */
const MAX_COMPARISONS = 50_000;
/** Number of lookups of single files before all files are listed. */
const MAX_LOOKUPS = 20;

/** Evaluates file conditions of rules: changed and existing files. Each condition is evaluated once. */
export class RuleFiles {
  readonly #sources: ConfigSources;
  readonly #source: SourceContext;
  readonly #answers = new Map<string, Promise<unknown>>();
  #looked = 0;

  constructor(sources: ConfigSources, source: SourceContext) {
    this.#sources = sources;
    this.#source = source;
  }

  /**
   * Whether a matching file is changed; true if there is nothing to compare with.
   * @throws RuleError if `compare_to` is not a valid ref
   */
  async changed({ paths, compareTo }: ChangesRule, scope: VariableScope): Promise<boolean> {
    const base = compareTo === null ? null : scope.expand(compareTo, 'kept');
    const globs = paths.map((path) => scope.expand(path, 'kept'));
    return await this.#once(['changed', base, ...globs], async () => {
      const changed = await this.#once(['paths', base], () => this.#sources.changedPaths(base));
      if (changed === null) return true;
      if ('invalidRef' in changed) throw new RuleError('rules:changes:compare_to is not a valid ref');
      if (changed.length * globs.length > MAX_COMPARISONS) return true;
      return changed.some(globMatcher(globs));
    });
  }

  /**
   * Whether a matching file exists. A glob with a trailing slash matches a folder.
   * @throws RuleError if the project or ref is not accessible
   */
  async exists({ paths, project, ref }: ExistsRule, scope: VariableScope): Promise<boolean> {
    const globs = paths.map((path) => fileGlob(scope.expand(path, 'kept')));
    const context = project === null ? this.#source : await this.#project(scope.expand(project), ref, scope);
    if (context.sha === null) return false;
    return await this.#once(['exists', context.project, context.sha, ...globs], () => this.#isThere(context, globs));
  }

  async #isThere(context: SourceContext, globs: readonly string[]): Promise<boolean> {
    this.#looked += 1;
    // After many lookups, the list of all files is used instead.
    const own = this.#looked > MAX_LOOKUPS ? await this.#files(context, '**/*') : [];
    if (own.length > 0 && own.length <= MAX_COMPARISONS) {
      if (own.some(globMatcher(globs))) return true;
    } else if ((await this.#sources.paths(context, globs, 1)).length > 0) {
      return true;
    }
    const compared = globs.filter(isCompared);
    if (compared.length === 0) return false;
    const files = await this.#files(context, globs.every((glob) => !glob.includes('/')) ? '*' : '**/*');
    return files.length * compared.length > MAX_COMPARISONS;
  }

  /** All files, or those of the root folder; at most one more than the comparison limit. */
  #files(context: SourceContext, glob: '*' | '**/*'): Promise<string[]> {
    return this.#once(['files', context.project, context.sha, glob], () =>
      this.#sources.paths(context, [glob], MAX_COMPARISONS + 1),
    );
  }

  async #project(path: string, ref: string | null, scope: VariableScope): Promise<SourceContext> {
    const name = ref === null ? null : scope.expand(ref);
    const project = await this.#once(['project', path, name], () => this.#sources.project(path, name));
    if ('denied' in project) throw new RuleError(`rules:exists:project \`${path}\` not found or access denied`);
    if ('context' in project) return project.context;
    throw new RuleError(`rules:exists:ref \`${name ?? 'HEAD'}\` is not a valid ref in project \`${path}\``);
  }

  #once<T>(question: readonly (string | null)[], ask: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const answer = ask();
    this.#answers.set(key, answer);
    return answer;
  }
}

const fileGlob = (path: string): string => {
  const bare = path.replace(/^\/+/, '');
  return bare.endsWith('/') ? `${bare}**/*` : bare;
};

/** Whether a glob has to be compared with each path: plain paths, folders and extensions are looked up. */
const isCompared = (glob: string): boolean =>
  /[*?[{]/.test(glob) && !/^\*\*\/\*(\.[\w-]+)+$/.test(glob) && !/^[^*?[{]+\/\*\*\/\*$/.test(glob);
