import type { Environment } from '../config/env.ts';
import { systemClock } from '../core/clock.ts';
import type { Db } from '../db/db.schema.ts';
import type { StoredJob } from '../db/tables/jobs.table.ts';
import { LANES } from '../jobs/jobs.kinds.ts';
import { dropJobs, type ListedJob, listJobs, retryJobs, type Selection } from '../jobs/manage.ts';
import { type LaneStats, laneStats } from '../jobs/stats.ts';
import { limitOf, onDatabase, parseCommand, printsHelp } from './command.ts';

const STATES = ['dead', 'waiting', 'held', 'running'] as const satisfies readonly StoredJob['state'][];
const ACTIONS = ['status', 'list', 'retry', 'drop'] as const;
const LISTED = 100;
const SHOWN_ERROR = 200;

const HELP = `Usage: stithy jobs [status] [--json]
       stithy jobs list   [ID ...] [--state STATE] [--lane LANE] [--kind KIND] [--limit N] [--json]
       stithy jobs retry  [ID ...] [--lane LANE] [--kind KIND] [--all] [--json]
       stithy jobs drop   [ID ...] [--state STATE] [--lane LANE] [--kind KIND] [--all] [--json]

Manages background jobs, whether the server runs or not.

  status   show the number of jobs in each lane, and how long the oldest one has been due
  list     list dead jobs with their errors; --state selects jobs in another state: ${STATES.join(', ')}, or all
  retry    run dead jobs again immediately; with ids also jobs that wait for another attempt
  drop     delete dead jobs, or with --state waiting or held jobs; their work is not done

"retry" and "drop" need ids, --lane, --kind or --all. --limit is the maximum number of listed jobs (default: ${LISTED}).

Lanes: ${Object.keys(LANES).join(', ')}.
Jobs of a kind that no running version knows are in the lane unknown.
`;

const OPTIONS = {
  state: { type: 'string' },
  lane: { type: 'string' },
  kind: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

interface Order {
  action: (typeof ACTIONS)[number];
  selection: Selection;
  json: boolean;
  limit: number;
}

/** `stithy jobs`: shows, lists, retries and deletes background jobs. */
export async function jobsCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const order = readArguments(args);
  return onDatabase(env, (db) => perform(db, order));
}

const readArguments = (args: readonly string[]): Order =>
  parseCommand(args, HELP, OPTIONS, ({ values, positionals }) => {
    const [word = 'status', ...rest] = positionals;
    const action = ACTIONS.find((name) => name === word);
    if (action === undefined) throw new Error(`unknown command "stithy jobs ${word}".`);
    const { lane, kind, state, all, json } = values;
    const ids = rest.map((text) => {
      if (!/^[1-9]\d{0,15}$/.test(text)) throw new Error(`"${text}" is not a job id.`);
      return Number(text);
    });
    const conditions = [state, lane, kind, values.limit, ...rest].some((value) => value !== undefined);
    if (action === 'status' && (conditions || all))
      throw new Error('"stithy jobs status" takes no arguments but --json.');
    const named = ids.length > 0 || lane !== undefined || kind !== undefined;
    if ((action === 'retry' || action === 'drop') && !named && !all)
      throw new Error(`select the jobs to ${action} by ids, --lane, --kind or --all.`);
    const limit = limitOf(values.limit, LISTED);
    const states = statesOf(action, state, ids.length > 0);
    const selection: Selection = {
      ...(ids.length > 0 ? { ids } : {}),
      ...(lane === undefined ? {} : { lane }),
      ...(kind === undefined ? {} : { kind }),
      ...(states === null ? {} : { states }),
    };
    return { action, selection, json, limit };
  });

/** @returns null for jobs of every state */
function statesOf(action: Order['action'], state: string | undefined, byId: boolean): StoredJob['state'][] | null {
  if (state === undefined) {
    if (!byId) return ['dead'];
    return action === 'retry' ? ['dead', 'waiting'] : action === 'drop' ? ['dead', 'waiting', 'held'] : null;
  }
  if (action === 'retry') throw new Error('"stithy jobs retry" takes no --state: it retries dead jobs.');
  if (state === 'all' && action === 'list') return null;
  const known = STATES.find((name) => name === state);
  if (known === undefined) throw new Error(`--state must be one of ${STATES.join(', ')}, or all for a list.`);
  if (action === 'drop' && known === 'running') throw new Error('running jobs cannot be dropped.');
  return [known];
}

async function perform(db: Db, { action, selection, json, limit }: Order): Promise<string> {
  const now = systemClock.now();
  const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  switch (action) {
    case 'status': {
      const stats = await laneStats(db, now);
      return json ? asJson(stats) : statusTable(stats);
    }
    case 'list': {
      const jobs = await listJobs(db, selection, limit + 1);
      const shown = jobs.slice(0, limit);
      return json ? asJson(shown) : listText(shown, jobs.length > limit);
    }
    case 'retry': {
      const retried = await retryJobs(db, selection, now);
      return json ? asJson({ retried }) : `${count(retried)} will run again.\n`;
    }
    case 'drop': {
      const dropped = await dropJobs(db, selection);
      return json ? asJson({ dropped }) : `${count(dropped)} dropped.\n`;
    }
  }
}

const count = (jobs: number): string => (jobs === 1 ? '1 job' : `${jobs} jobs`);

function statusTable(stats: readonly LaneStats[]): string {
  const head = ['lane', 'waiting', 'scheduled', 'held', 'running', 'dead', 'oldest'];
  const rows = stats.map(({ lane, waiting, scheduled, held, running, dead, oldest_seconds }) => [
    lane,
    ...[waiting, scheduled, held, running, dead].map(String),
    `${Math.round(oldest_seconds)} s`,
  ]);
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(9) : cell.padStart(10))).join('');
  const dead = stats.reduce((sum, each) => sum + each.dead, 0);
  const hint = dead === 0 ? '' : '\nDead jobs have failed too often: "stithy jobs list" shows their errors.\n';
  return `${[head, ...rows].map(line).join('\n')}\n${hint}`;
}

function listText(jobs: readonly ListedJob[], more: boolean): string {
  if (jobs.length === 0) return 'No jobs found.\n';
  const lines = jobs.map(
    ({ id, kind, lane, state, attempts, run_at, project_id, last_error, order_key, recurring }) => {
      const about = [
        project_id === null ? '' : `project ${project_id}`,
        order_key === null ? '' : `ordered by ${order_key}`,
      ].filter((text) => text !== '');
      const error = last_error === null ? '' : `\n    ${last_error.replace(/\s+/g, ' ').slice(0, SHOWN_ERROR)}`;
      const when = state === 'waiting' || state === 'held' ? `, due ${run_at}` : '';
      if (recurring === 1) about.unshift('recurring');
      const tail = about.length === 0 ? '' : ` (${about.join(', ')})`;
      return `${id}  ${state}  ${kind}  lane ${lane || 'unknown'}, ${attempts} attempts${when}${tail}${error}`;
    },
  );
  return `${lines.join('\n')}\n${more ? 'There are more jobs: use --limit.\n' : ''}`;
}
