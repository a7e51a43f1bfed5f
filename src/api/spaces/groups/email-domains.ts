import type { Db } from '../../../db/db.schema.ts';
import { groupSettings } from './groups.settings.ts';

const MAX_DOMAINS = 100;
const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

const domainsOf = (list: string | null): string[] =>
  (list ?? '')
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');

/** Validates `allowed_email_domains_list`: domains separated by commas. */
export function domainErrors(list: string | null | undefined): string[] {
  const domains = domainsOf(list ?? null);
  if (domains.length > MAX_DOMAINS) return [`has too many domains (maximum is ${MAX_DOMAINS})`];
  return domains.filter((domain) => !DOMAIN.test(domain)).map((domain) => `has an invalid domain: ${domain}`);
}

/**
 * Returns the allowed domains if the user has no confirmed address in any of them; null if the user may become a
 * member, as bots always may.
 * @param groupIds the group and its ancestors, or those of the project
 */
export async function refusedDomains(db: Db, groupIds: readonly number[], userId: number): Promise<string[] | null> {
  if (groupIds.length === 0) return null;
  const groups = await db
    .selectFrom('namespaces')
    .select('settings')
    .where('id', 'in', [...groupIds])
    .where('kind', '=', 'group')
    .execute();
  const lists = groups
    .map((group) => domainsOf(groupSettings(group).allowed_email_domains_list))
    .filter((domains) => domains.length > 0);
  if (lists.length === 0) return null;
  const user = await db
    .selectFrom('users')
    .select(['email', 'confirmed_at', 'kind'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user === undefined || user.kind !== 'human') return null;
  const domain = user.email.slice(user.email.lastIndexOf('@') + 1).toLowerCase();
  return lists.find((domains) => user.confirmed_at === null || !domains.includes(domain)) ?? null;
}
