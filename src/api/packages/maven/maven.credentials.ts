import type { CredentialLookup, Credentials } from '../../../http/http.credentials.ts';
import { accessToken, deployToken, jobToken } from '../../../http/secret-kinds.ts';
import { CHALLENGED } from '../registries.credentials.ts';

/** A deploy token; `Deploy-Token` stands for its name, as it does for those of all other tokens. */
const anyDeployToken: CredentialLookup = (deps, sent, request) => {
  const username = /^deploy-token$/i.test(sent.username ?? '') ? null : sent.username;
  return deployToken(deps, { ...sent, username }, request);
};

/** How Maven, Gradle and sbt say who they are: by headers (`httpHeaders` of settings.xml), or by name and password. */
export const MAVEN: Credentials = {
  ...CHALLENGED,
  methods: CHALLENGED.methods.map((way) =>
    way.name === 'packageBasic'
      ? {
          ...way,
          name: 'mavenBasic',
          description:
            'An access token, a deploy token, or the token of a job that runs, in the place of the password. The name is `Private-Token`, `Deploy-Token` or `Job-Token`, or that of the deploy token, `gitlab-ci-token` for a job, and any for an access token.',
          kinds: [jobToken, accessToken, anyDeployToken],
        }
      : way,
  ),
};
