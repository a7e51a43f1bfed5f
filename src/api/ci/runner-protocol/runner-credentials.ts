import { whoOnInstance } from '../../../access/ability-words.ts';
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

/** How runners say who they are. Of the protocol's words 401 is none: whoever shows a wrong token is 403. */
export const RUNNER_CREDENTIALS: Credentials = {
  methods: [
    { name: 'runnerToken', location: header('RUNNER-TOKEN'), description, kinds },
    { name: 'runnerTokenQuery', location: parameter('token'), description, kinds },
    { name: 'runnerTokenBody', location: bodyParameter('token'), description, kinds },
  ],
  challenge: () => forbidden(),
};

/** Runners, by their token: 400 without any, as for other parameters that are missing. */
function byRunner(ability: 'register_runner' | 'run_jobs'): Access<{ runner: CiRunner }> {
  return {
    description: whoOnInstance(ability),
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

/** Runners, for what is about themselves. */
export const runnerItself = byRunner('register_runner');
/** Runners, for the jobs that they do. */
export const runnerForJobs = byRunner('run_jobs');

/** The runner's row as it is now; undefined when it is gone. */
export const readRunner = ({ db }: Deps, id: number): Promise<CiRunner | undefined> =>
  db.selectFrom('ci_runners').selectAll().where('id', '=', id).executeTakeFirst();
