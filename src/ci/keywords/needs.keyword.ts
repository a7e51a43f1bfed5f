import type { Tree, TreeMap } from '../config/loaded.ts';
import type { CrossNeed, Need } from '../pipeline-config.ts';
import { BOOLEAN, isMap, isString, PRESENT, STRING } from './checks.keyword.ts';
import { flat } from './commands.keyword.ts';
import { type ConfigNode, own } from './config-node.ts';
import { type MatrixRow, matrix } from './matrix.ts';
import { anyEntry, config, entry, field, keys, type Reader, readEach, required } from './reader.ts';

type Kind = 'job' | 'cross_dependency' | 'bridge';

/** A need as written: for a parallel job it may select some of its jobs. */
export interface WrittenNeed extends Need {
  matrix: MatrixRow[] | null;
}

export interface Needs {
  jobs: WrittenNeed[] | null;
  cross: CrossNeed[];
  /** Projects or pipelines whose status a bridge mirrors. */
  bridges: string[];
}

/** Maximum number of needs from other pipelines. */
const MAX_CROSS = 5;

type AnyNeed =
  | { kind: 'job'; need: WrittenNeed }
  | { kind: 'cross_dependency'; need: CrossNeed }
  | { kind: 'bridge'; need: string };

const jobName: Reader<AnyNeed> = anyEntry([config(PRESENT)], (value) => ({
  kind: 'job',
  need: { job: value as string, artifacts: true, optional: false, matrix: null },
}));

const artifacts = (value: TreeMap) => own(value, 'artifacts') !== false;

/** Selects some of the parallel jobs by matrix; a number is not supported. */
const parallel: Reader<MatrixRow[]> = entry([keys('matrix')], (value, at) => at.read(value, 'matrix', matrix));

const job: Reader<AnyNeed> = entry(
  [
    keys('job', 'artifacts', 'optional', 'parallel'),
    required('job', STRING),
    field('artifacts', BOOLEAN),
    field('optional', BOOLEAN),
  ],
  (value, at) => {
    const written = own(value, 'parallel');
    return {
      kind: 'job',
      need: {
        job: own(value, 'job') as string,
        artifacts: artifacts(value),
        optional: own(value, 'optional') === true,
        matrix: written === null || typeof written === 'number' ? null : parallel(written, at.child('parallel')),
      },
    };
  },
);

const ofPipeline: Reader<AnyNeed> = entry(
  [
    keys('pipeline', 'job', 'artifacts'),
    required('pipeline', STRING),
    required('job', STRING),
    field('artifacts', BOOLEAN),
  ],
  (value) => cross(value),
);

const ofProject: Reader<AnyNeed> = entry(
  [
    keys('project', 'ref', 'job', 'artifacts'),
    required('project', STRING),
    required('ref', STRING),
    required('job', STRING),
    field('artifacts', BOOLEAN),
  ],
  (value) => cross(value),
);

function cross(value: TreeMap): AnyNeed {
  const text = (key: string) => own(value, key) as string | null;
  return {
    kind: 'cross_dependency',
    need: {
      pipeline: text('pipeline'),
      project: text('project'),
      ref: text('ref'),
      job: text('job')!,
      artifacts: artifacts(value),
    },
  };
}

const bridge: Reader<AnyNeed> = entry([keys('pipeline'), required('pipeline', STRING)], (value) => ({
  kind: 'bridge',
  need: own(value, 'pipeline') as string,
}));

const need: Reader<AnyNeed> = (value, at) => {
  if (isString(value)) return jobName(value, at);
  if (!isMap(value)) return at.says('has an unsupported type');
  const has = (key: string) => Object.hasOwn(value, key);
  if (has('project')) return ofProject(value, at);
  if (has('job') && has('pipeline')) return ofPipeline(value, at);
  if (has('job') && !has('ref')) return job(value, at);
  return has('pipeline') && !has('job') ? bridge(value, at) : at.says('has an unsupported type');
};

/** `needs`. @param allowed kinds of needs that are valid here */
export function needs(...allowed: readonly Kind[]): Reader<Needs> {
  return anyEntry(
    [
      config((value) => (isMap(value) || Array.isArray(value) ? null : 'can only be a hash or an array')),
      config((value) => (isMap(value) && Object.keys(value).length === 0 ? 'can not be an empty hash' : null)),
    ],
    (value, at) => {
      const written: Tree[] = Array.isArray(value) ? flat(value) : [value];
      const items = readEach(written, need, at.child('need'));
      check(items, written, allowed, at);
      const jobs = items.flatMap((each) => (each.kind === 'job' ? [each.need] : []));
      return {
        jobs: jobs.length > 0 || written.length === 0 ? jobs : null,
        cross: items.flatMap((each) => (each.kind === 'cross_dependency' ? [each.need] : [])),
        bridges: items.flatMap((each) => (each.kind === 'bridge' ? [each.need] : [])),
      };
    },
  );
}

function check(value: AnyNeed[], written: Tree[], allowed: readonly Kind[], at: ConfigNode): void {
  const extra = [...new Set(value.map(({ kind }) => kind))].filter((kind) => !allowed.includes(kind));
  if (extra.length > 0) at.config(`uses invalid types: ${extra.join(', ')}`);
  if (written.some((each) => isMap(each) && typeof own(each, 'parallel') === 'number')) {
    at.config('cannot use "parallel: <number>".');
  }
  const ofOthers = value.filter((each) => each.kind === 'cross_dependency' && each.need.pipeline !== null);
  if (ofOthers.length > MAX_CROSS) at.config(`must be less than or equal to ${MAX_CROSS}`);
}
