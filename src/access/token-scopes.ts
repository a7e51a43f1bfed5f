/** Scopes a personal access token can have (part 1, section 5). */
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

/** Scopes a project or group access token can have. */
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

/** Scopes that a user may give to a token made with another token. */
export const SELF_SERVICE_SCOPES = ['k8s_proxy', 'self_rotate'] as const;

/** Scopes that mean something for administrators only. */
export const ADMIN_SCOPES: readonly string[] = ['sudo', 'admin_mode', 'read_service_ping'];

/** Scopes that a program can have by OAuth 2. */
export const OAUTH_SCOPES = [...PERSONAL_SCOPES, 'openid', 'profile', 'email'] as const;
