import { API_TOKENS } from '../../../http/api-tokens.ts';
import { basic } from '../../../http/credential-places.ts';
import type { Credentials } from '../../../http/credentials.ts';
import { JOB_TOKEN_WAYS } from '../../../http/job-tokens.ts';
import { accessToken, jobToken } from '../../../http/secret-kinds.ts';

/** How Terraform says who it is: by a user name and a password, which is a token. */
export const TERRAFORM_TOKENS: Credentials = {
  ways: [
    ...API_TOKENS.ways,
    ...JOB_TOKEN_WAYS,
    {
      name: 'terraformBasic',
      place: basic,
      description:
        'An access token, or the token of a job that runs, in the place of the password; the name is `gitlab-ci-token` for a job, and any other for an access token.',
      kinds: [jobToken, accessToken],
    },
  ],
};
