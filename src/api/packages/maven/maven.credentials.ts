import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import { accessToken, deployToken, jobToken } from '../../../http/secret-kinds.ts';
import { CHALLENGED } from '../registries.credentials.ts';

/** A deploy token. `Deploy-Token` is accepted as its name, as for the other kinds of tokens. */
const anyDeployToken: CredentialLookup = (deps, sent, request) => {
  const username = /^deploy-token$/i.test(sent.username ?? '') ? null : sent.username;
  return deployToken(deps, { ...sent, username }, request);
};

/** Credentials of Maven, Gradle and sbt: headers (`httpHeaders` in settings.xml), or name and password. */
export const MAVEN: Credentials = {
  ...CHALLENGED,
  methods: CHALLENGED.methods.map((way) =>
    way.name === 'packageBasic'
      ? {
          ...way,
          name: 'mavenBasic',
          description:
            'An access token, a deploy token or the token of a running job, as the password. The user name is `Private-Token`, `Deploy-Token` or `Job-Token`; or that of the deploy token, `gitlab-ci-token` for a job token, and any for an access token.',
          kinds: [jobToken, accessToken, anyDeployToken],
        }
      : way,
  ),
};
