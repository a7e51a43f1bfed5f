import { ApiError } from '../../core/core.errors.ts';
import { API_TOKENS } from '../../http/api-tokens.ts';
import { basic, header } from '../../http/credential-locations.ts';
import type { CredentialLookup, CredentialMethod, Credentials } from '../../http/http.credentials.ts';
import { JOB_TOKEN_METHODS } from '../../http/job-tokens.ts';
import { accessToken, deployToken, jobToken } from '../../http/secret-kinds.ts';

/** Tokens that authenticate package managers. */
const PACKAGE_TOKENS: readonly CredentialLookup[] = [jobToken, accessToken, deployToken];

const TOKEN = 'An access token, a deploy token or the token of a running job.';

const DEPLOY_TOKEN: CredentialMethod = {
  name: 'deployToken',
  location: header('DEPLOY-TOKEN'),
  description: 'A deploy token.',
  kinds: [deployToken],
};

const ways: readonly CredentialMethod[] = [
  ...API_TOKENS.methods.map((way) =>
    way.name === 'bearer'
      ? { ...way, name: 'packageBearer', description: TOKEN, kinds: [jobToken, ...way.kinds, deployToken] }
      : way,
  ),
  ...JOB_TOKEN_METHODS,
  DEPLOY_TOKEN,
  {
    name: 'packageBasic',
    location: basic,
    description: `${TOKEN} It is sent as the password; the user name is that of the deploy token, \`gitlab-ci-token\` for a job token, and any other for an access token.`,
    kinds: PACKAGE_TOKENS,
  },
];

/** Credentials for the packages of a group. */
export const DEPLOY_TOKEN_CREDENTIALS: Credentials = { methods: [...API_TOKENS.methods, DEPLOY_TOKEN] };
/** Credentials for the packages of a project, including job tokens. */
export const WITH_DEPLOY_AND_JOB_TOKENS: Credentials = {
  methods: [...API_TOKENS.methods, ...JOB_TOKEN_METHODS, DEPLOY_TOKEN],
};

/** 401 that makes package managers send their credentials. */
export const challenge = (): ApiError =>
  new ApiError(401, '401 Unauthorized', {}, { 'WWW-Authenticate': 'Basic realm="Stithy Packages Registry"' });

/** Credentials of package managers (part 1, section 5). Some, such as pip and mvn, send them only when challenged. */
export const CHALLENGED: Credentials = { methods: ways, challenge: challenge };

/** Scopes of deploy tokens that read packages, and that publish and delete them, in addition to those of the API. */
export const READ_PACKAGES = ['read_package_registry', 'write_package_registry'];
export const WRITE_PACKAGES = ['write_package_registry'];
