import { timestamp } from '../core/clock.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import type { CiRunner } from '../db/tables/ci-runners.table.ts';
import type { Deps } from '../deps.ts';
import { ANONYMOUS, type Caller } from './caller.ts';

/** How tokens of runners begin: of those that a user made, and of those that came with a registration token. */
export const RUNNER_TOKEN_PREFIXES = { user: 'glrt-', registration_token: 'glrtr-' } as const;

/**
 * The runner whose token it is; it stands for no user.
 * @returns undefined for what is no such token, or one whose time is over
 */
export async function callerOfRunnerToken(deps: Deps, secret: string): Promise<Caller | undefined> {
  const runner = await runnerOf(deps, tokenDigest(secret));
  return runner === undefined ? undefined : { ...ANONYMOUS, credential: { kind: 'runner', runner } };
}

async function runnerOf({ db, clock, snapshot }: Deps, digest: string): Promise<CiRunner | undefined> {
  const runner = await snapshot.get(`runner:${digest}`, () =>
    db.selectFrom('ci_runners').selectAll().where('digest', '=', digest).executeTakeFirst(),
  );
  const ended = runner?.token_expires_at != null && runner.token_expires_at <= timestamp(clock);
  return ended ? undefined : runner;
}

/** Whether the token of a runner is still good, for what is done after a wait. */
export const runnerExists = async (deps: Deps, { id, digest }: CiRunner): Promise<boolean> =>
  (await runnerOf(deps, digest))?.id === id;
