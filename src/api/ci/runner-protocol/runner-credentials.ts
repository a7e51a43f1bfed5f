import { describeInstanceAbility } from '../../../access/ability-words.ts';
import { callerOfRunnerToken } from '../../../access/runner-caller.ts';
import { forbidden, invalidParameter } from '../../../core/core.errors.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';
import { bodyParameter, header, parameter } from '../../../http/credential-locations.ts';
import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import type { Access } from '../../../http/http.route.ts';

const runnerToken: CredentialLookup = (deps, { secret }) => callerOfRunnerToken(deps, secret);
const description = 'The token of a runner.';
const kinds = [runnerToken];

/** Credentials of runners. The protocol has no 401: an invalid token is 403. */
export const RUNNER_CREDENTIALS: Credentials = {
  methods: [
    { name: 'runnerToken', location: header('RUNNER-TOKEN'), description, kinds },
    { name: 'runnerTokenQuery', location: parameter('token'), description, kinds },
    { name: 'runnerTokenBody', location: bodyParameter('token'), description, kinds },
  ],
  challenge: () => forbidden(),
};

/** Runners by their token; 400 without a token, as for other missing parameters. */
function byRunner(ability: 'register_runner' | 'run_jobs'): Access<{ runner: CiRunner }> {
  return {
    description: describeInstanceAbility(ability),
    ability,
    writes: true,
    anonymous: false,
    params: {},
    check: async ({ caller: { credential } }) => {
      if (credential.kind === 'none') throw invalidParameter('token is missing');
      if (credential.kind !== 'runner') throw forbidden();
      return { runner: credential.runner };
    },
  };
}

/** Runners, for requests about themselves. */
export const runnerItself = byRunner('register_runner');
/** Runners, for requests about jobs. */
export const runnerForJobs = byRunner('run_jobs');

/** Reads the current row of a runner; undefined if it was deleted. */
export const readRunner = ({ db }: Deps, id: number): Promise<CiRunner | undefined> =>
  db.selectFrom('ci_runners').selectAll().where('id', '=', id).executeTakeFirst();
