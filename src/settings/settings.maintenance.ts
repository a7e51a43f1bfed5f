import { ApiError } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';

type WithSettings = Pick<Deps, 'settings'>;

const READ_ONLY = 'You cannot perform write operations on a read-only instance';
const NO_PUSH = 'Git push is not allowed because this GitLab instance is currently in (read-only) maintenance mode.';
const RETRY_SECONDS = '60';

/** Whether the server is in maintenance mode. */
export const inMaintenance = ({ settings }: WithSettings): boolean => settings.now.maintenance_mode;

/**
 * Refuses writes in maintenance mode. The message of the administrators follows the platform's text.
 * @param what the kind of write
 * @throws ApiError 503
 */
export function refuseInMaintenance(deps: WithSettings, what: 'request' | 'push' = 'request'): void {
  if (!inMaintenance(deps)) return;
  const { maintenance_mode_message: message } = deps.settings.now;
  const text = what === 'push' ? NO_PUSH : READ_ONLY;
  const more = message === null || message.trim() === '' ? '' : what === 'push' ? ` ${message}` : `. ${message}`;
  throw new ApiError(503, `${text}${more}`, {}, { 'Retry-After': RETRY_SECONDS });
}
