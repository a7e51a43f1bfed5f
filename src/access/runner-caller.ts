import { timestamp } from '../core/clock.ts';
import { tokenDigest } from '../core/core.secrets.ts';
import type { CiRunner } from '../db/tables/ci-runners.table.ts';
import type { Deps } from '../deps.ts';
import { ANONYMOUS, type Caller } from './caller.ts';

/** Prefixes of runner tokens: of runners created by a user, and of those registered with a registration token. */
export const RUNNER_TOKEN_PREFIXES = { user: 'glrt-', registration_token: 'glrtr-' } as const;

/**
 * Authenticates a runner by its token; the caller has no user.
 * @returns undefined for unknown and expired tokens
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

/** Whether the token of a runner is still valid, for checks after a wait. */
export const runnerExists = async (deps: Deps, { id, digest }: CiRunner): Promise<boolean> =>
  (await runnerOf(deps, digest))?.id === id;
