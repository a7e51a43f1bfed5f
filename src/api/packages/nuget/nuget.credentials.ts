import { header } from '../../../http/credential-locations.ts';
import type { Credentials } from '../../../http/http.credentials.ts';
import { accessToken, deployToken, jobToken } from '../../../http/secret-kinds.ts';
import { CHALLENGED } from '../registries.credentials.ts';

/** Credentials of NuGet: name and password of a source, or an API key, which is used only without other credentials. */
export const NUGET: Credentials = {
  ...CHALLENGED,
  methods: [
    ...CHALLENGED.methods,
    {
      name: 'nugetApiKey',
      location: header('X-NuGet-ApiKey'),
      description: 'An access token, a deploy token or the token of a running job, as sent by `--api-key`.',
      kinds: [jobToken, accessToken, deployToken],
    },
  ],
};
