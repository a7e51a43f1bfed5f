import { API_TOKENS } from './api-tokens.ts';
import { header, parameter } from './credential-locations.ts';
import type { CredentialMethod, Credentials } from './http.credentials.ts';
import { jobToken } from './secret-kinds.ts';

const description = 'The token of a running job (`CI_JOB_TOKEN`).';
const kinds = [jobToken];

/** Credentials of jobs. */
export const JOB_TOKEN_METHODS: readonly CredentialMethod[] = [
  { name: 'jobToken', location: header('JOB-TOKEN'), description, kinds },
  { name: 'jobTokenQuery', location: parameter('job_token'), description, kinds },
];

/** The API's credentials and job tokens, for routes that jobs may call (part 1, section 5). */
export const API_AND_JOB_TOKENS: Credentials = { methods: [...API_TOKENS.methods, ...JOB_TOKEN_METHODS] };
