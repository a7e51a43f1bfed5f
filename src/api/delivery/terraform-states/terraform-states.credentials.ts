import { API_TOKENS } from '../../../http/api-tokens.ts';
import { basic } from '../../../http/credential-locations.ts';
import type { Credentials } from '../../../http/http.credentials.ts';
import { JOB_TOKEN_METHODS } from '../../../http/job-tokens.ts';
import { accessToken, jobToken } from '../../../http/secret-kinds.ts';

/** Credentials of Terraform: user name and password, which is a token. */
export const TERRAFORM_TOKENS: Credentials = {
  methods: [
    ...API_TOKENS.methods,
    ...JOB_TOKEN_METHODS,
    {
      name: 'terraformBasic',
      location: basic,
      description:
        'An access token or the token of a running job, as the password. The user name is `gitlab-ci-token` for a job token, any for an access token.',
      kinds: [jobToken, accessToken],
    },
  ],
};
