import { header } from '../../../http/credential-locations.ts';
import type { Credentials } from '../../../http/http.credentials.ts';
import { accessToken, deployToken, jobToken } from '../../../http/secret-kinds.ts';
import { CHALLENGED } from '../registries.credentials.ts';

/** How NuGet says who it is: by the name and password of a source, or by an API key, which counts where there is nothing else. */
export const NUGET: Credentials = {
  ...CHALLENGED,
  methods: [
    ...CHALLENGED.methods,
    {
      name: 'nugetApiKey',
      location: header('X-NuGet-ApiKey'),
      description: 'An access token, a deploy token, or the token of a job that runs, as `--api-key` sends it.',
      kinds: [jobToken, accessToken, deployToken],
    },
  ],
};
