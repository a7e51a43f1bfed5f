import { type Static, Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import { Enum } from '../../http/http.schema.ts';
import { compileParams } from '../../http/params/coerce.ts';
import { isPath } from '../../storage/zip/zip.entries.ts';
import { refuseUnknownKeys } from '../strict-input.ts';

/** Rules of a project, files of a job, and seconds that a job may take. */
const MAX_RULES = 100;
const MAX_FILES = 1_000;
const LONGEST = 86_400;

const outcome = {
  log: Type.Optional(Type.String({ description: 'Its log.', examples: ['1 test failed\n'] })),
  artifacts: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: MAX_FILES,
      description: 'Files that it leaves, by path: a text, or `{"base64": ...}`.',
      examples: [{ 'report.txt': 'all good' }],
    }),
  ),
  coverage: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Coverage in percent.' })),
  exit_code: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: 'Exit code of its script.' })),
};

/** How a job ends. */
export const JobOutcome = Type.Object({
  status: Enum(['success', 'failed', 'canceled'], { description: 'How it ends.' }),
  ...outcome,
});
export type JobOutcome = Static<typeof JobOutcome>;

/** How jobs of a name end by themselves. */
export const JobRule = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'Name of jobs; `*` stands for any text.' }),
  status: Type.Optional(
    Enum(['success', 'failed', 'canceled'], { description: 'How they end; `success` by default.' }),
  ),
  after: Type.Optional(
    Type.Number({ minimum: 0, maximum: LONGEST, description: 'Seconds that they run (default: 0).' }),
  ),
  ...outcome,
});
export type JobRule = Static<typeof JobRule>;

/** Rules of a project: `auto` lets all jobs succeed. The first rule of a job's name counts. */
export type JobRules = 'auto' | JobRule[];

const readOutcome = compileParams(JobOutcome);
const readRule = compileParams(JobRule);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads how a job ends, as a client wrote it.
 * @throws ApiError 400 naming the parameter and what is right
 */
export function readJobOutcome(sent: Readonly<Record<string, unknown>>): JobOutcome {
  refuseUnknownKeys(sent, JobOutcome);
  const read = readOutcome({ ...sent }) as JobOutcome;
  filesOf(read);
  return read;
}

/**
 * Reads the rules of a project, as a client or a seed wrote them.
 * @throws ApiError 400 naming the rule and what is right
 */
export function readJobRules(sent: unknown): JobRules {
  if (sent === 'auto') return 'auto';
  if (!Array.isArray(sent)) throw new ApiError(400, 'rules must be auto or a list of rules');
  if (sent.length > MAX_RULES) throw new ApiError(400, `there can be ${MAX_RULES} rules at most`);
  return sent.map((rule, at) => {
    if (!isObject(rule)) throw new ApiError(400, `rules[${at}] must be an object of name, status, log and after`);
    refuseUnknownKeys(rule, JobRule, `rules[${at}].`);
    try {
      const read = readRule(rule) as JobRule;
      filesOf(read);
      return read;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(error.status, `rules[${at}]: ${error.message}`);
    }
  });
}

/** The files that a job leaves, by path. @throws ApiError 400 */
export function filesOf({ artifacts = {} }: Pick<JobOutcome, 'artifacts'>): Map<string, Buffer> {
  return new Map(
    Object.entries(artifacts).map(([path, content]) => {
      if (!isPath(path) || path.endsWith('/')) throw new ApiError(400, `artifacts: ${path} is not a path of a file`);
      if (typeof content === 'string') return [path, Buffer.from(content)];
      const base64 = isObject(content) && Object.keys(content).join() === 'base64' ? content.base64 : undefined;
      if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(base64))
        throw new ApiError(400, `artifacts: ${path} must be a text or an object of base64`);
      return [path, Buffer.from(base64, 'base64')];
    }),
  );
}
