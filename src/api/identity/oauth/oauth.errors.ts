import { ApiError } from '../../../core/core.errors.ts';

const DESCRIPTIONS = {
  invalid_request:
    'The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.',
  invalid_client:
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  invalid_grant:
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  invalid_token: 'The access token is invalid',
  unauthorized_client: 'You are not authorized to revoke this token',
  unsupported_grant_type: 'The authorization grant type is not supported by the authorization server.',
} as const;

const STATUSES: Partial<Record<keyof typeof DESCRIPTIONS, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  unauthorized_client: 403,
};

/** An OAuth 2 error (RFC 6749, section 5.2), with status 400 unless the client or the token is invalid. */
export function oauthError(error: keyof typeof DESCRIPTIONS): ApiError {
  const description = DESCRIPTIONS[error];
  const status = STATUSES[error] ?? 400;
  const headers: Record<string, string> =
    status === 401
      ? { 'WWW-Authenticate': `Bearer realm="Stithy", error="${error}", error_description="${description}"` }
      : {};
  return new ApiError(status, description, { error, error_description: description }, headers);
}
