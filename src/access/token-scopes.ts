/** Scopes of personal access tokens (part 1, section 5). */
export const PERSONAL_SCOPES = [
  'api',
  'read_user',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'sudo',
  'admin_mode',
  'create_runner',
  'manage_runner',
  'ai_features',
  'k8s_proxy',
  'self_rotate',
  'read_service_ping',
] as const;

/** Scopes of project and group access tokens. */
export const RESOURCE_SCOPES = [
  'api',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'create_runner',
  'manage_runner',
  'ai_features',
  'k8s_proxy',
  'self_rotate',
] as const;

/** Scopes of tokens that are created with another token. */
export const SELF_SERVICE_SCOPES = ['k8s_proxy', 'self_rotate'] as const;

/** Scopes that only have an effect for administrators. */
export const ADMIN_SCOPES: readonly string[] = ['sudo', 'admin_mode', 'read_service_ping'];

/** Scopes of OAuth 2 tokens. */
export const OAUTH_SCOPES = [...PERSONAL_SCOPES, 'openid', 'profile', 'email'] as const;
