import { ConfigError } from '../config/config-error.ts';
import type { JobConfig, Need, Rule } from '../pipeline-config.ts';
import { limitJobs } from './limits.keyword.ts';
import { combinations, combine, type MatrixRow } from './matrix.ts';
import type { WrittenNeed } from './needs.keyword.ts';
import type { WrittenJob } from './processable.ts';
import type { WrittenRule } from './rules.keyword.ts';

/** Maximum number of needs of all jobs together. */
const MAX_NEEDS = 200_000;

type Place = JobConfig['parallel'];

/** One of the jobs that a parallel job becomes. */
interface Copy {
  name: string;
  place: Place;
}

const matrixName = (name: string, values: Iterable<string>) => `${name}: [${[...values].join(', ')}]`;

function copies({ name, parallel }: WrittenJob): Copy[] {
  if (parallel === null) return [{ name, place: null }];
  if ('number' in parallel) {
    const total = parallel.number;
    return Array.from({ length: total }, (_, at) => ({
      name: `${name} ${at + 1}/${total}`,
      place: { index: at + 1, total, matrix: null, of: name },
    }));
  }
  return combine(parallel.matrix).map((values, at, all) => ({
    name: matrixName(name, values.values()),
    place: { index: at + 1, total: all.length, matrix: Object.fromEntries(values), of: name },
  }));
}

/** Number of jobs that a job becomes. */
export function jobsOf({ parallel }: WrittenJob): number {
  if (parallel === null) return 1;
  return 'number' in parallel ? parallel.number : combinations(parallel.matrix);
}

const OF_MATRIX = /\$\[\[\s*matrix\.([^\]\s]+)\s*\]\]/g;

/** Replaces references to the job's own matrix values in the matrix of a need. */
function inOwnMatrix(rows: MatrixRow[], job: string, node: Place): MatrixRow[] {
  const matrix = node?.matrix ?? {};
  const fill = (text: string) =>
    text.replaceAll(OF_MATRIX, (_, key: string) => {
      if (Object.hasOwn(matrix, key)) return matrix[key]!;
      throw new ConfigError(`${job} job: '${key}' does not exist in matrix configuration`);
    });
  return rows.map((row) => row.map(([key, values]) => [key, values.map(fill)]));
}

/** Resolves needs; lists shared by many jobs stay shared. */
class Resolver {
  readonly #becomes: ReadonlyMap<string, readonly Copy[]>;
  readonly #needs = new Map<readonly WrittenNeed[], Need[]>();
  readonly #rules = new Map<readonly WrittenRule[], Rule[]>();
  #made = 0;

  constructor(becomes: ReadonlyMap<string, readonly Copy[]>) {
    this.#becomes = becomes;
  }

  dependencies(written: readonly string[]): string[] {
    return written.flatMap((name) => this.#spend(this.#names(name)));
  }

  needs(written: readonly WrittenNeed[], job: string, node: Place): Need[] {
    const known = this.#needs.get(written);
    if (known !== undefined) return this.#spend(known);
    const value = written.flatMap(({ job: name, artifacts, optional, matrix }): Need[] => {
      const all =
        matrix === null
          ? this.#names(name)
          : combine(inOwnMatrix(matrix, job, node)).map((values) => matrixName(name, values.values()));
      return this.#spend(all).map((each) => ({ job: each, artifacts, optional }));
    });
    if (!dependsOnPlace(written)) this.#needs.set(written, value);
    return value;
  }

  rules(written: WrittenRule[], job: string, node: Place): Rule[] {
    if (!written.some(({ needs }) => needs !== null)) return written;
    const known = this.#rules.get(written);
    if (known !== undefined) return known;
    const value = this.#spend(written).map(
      (rule): Rule => ({ ...rule, needs: rule.needs && this.needs(rule.needs, job, node) }),
    );
    if (!written.some(({ needs }) => needs !== null && dependsOnPlace(needs))) this.#rules.set(written, value);
    return value;
  }

  #names(name: string): string[] {
    return this.#becomes.get(name)?.map((copy) => copy.name) ?? [name];
  }

  #spend<T extends readonly unknown[]>(value: T): T {
    this.#made += value.length;
    if (this.#made <= MAX_NEEDS) return value;
    throw new ConfigError(`The jobs of a configuration can together need ${MAX_NEEDS} others`);
  }
}

const dependsOnPlace = (needs: readonly WrittenNeed[]) => needs.some(({ matrix }) => matrix !== null);

/** Expands `parallel`, and resolves needs and dependencies to the resulting names. @throws ConfigError */
export function multiply(written: readonly WrittenJob[]): JobConfig[] {
  limitJobs(written.reduce((sum, job) => sum + jobsOf(job), 0));
  const becomes = new Map(written.map((job) => [job.name, copies(job)]));
  const resolver = new Resolver(becomes);
  return written.flatMap((job) => {
    const { dependencies } = job.options;
    const options =
      dependencies === null ? job.options : { ...job.options, dependencies: resolver.dependencies(dependencies) };
    return becomes.get(job.name)!.map(
      ({ name, place: node }): JobConfig => ({
        ...job,
        name,
        parallel: node,
        needs: job.needs && resolver.needs(job.needs, job.name, node),
        rules: job.rules && resolver.rules(job.rules, job.name, node),
        options,
      }),
    );
  });
}
