import { compilePattern } from '../ci/expressions/expressions.pattern.ts';
import { matchesWildcard } from '../core/wildcard.ts';
import type { ApplicationSettings } from './settings-table.ts';

const fits = (domain: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => matchesWildcard(pattern.toLowerCase(), domain));

/**
 * Whether an email address may be used to sign up or be invited. Users created by administrators are not restricted.
 */
export function maySignUp(settings: ApplicationSettings, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const { domain_allowlist: allowed, domain_denylist: denied, email_restrictions: pattern } = settings;
  if (settings.domain_denylist_enabled && fits(domain, denied)) return false;
  if (allowed.length > 0 && !fits(domain, allowed)) return false;
  if (!settings.email_restrictions_enabled || pattern === null || pattern === '') return true;
  return compilePattern(pattern, 'i')?.test(email) !== true;
}
