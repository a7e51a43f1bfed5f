import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of licenses. */
export const licenseWords: Vocabulary['entries'] = {
  license: ['Key of the license: Base64, as its issuer has sent it.', 'eyJkYXRhIjoiZXlKMlpYSnphVzl1SWpveCJ9'],
  'License.plan': ['Plan that it puts in force.', 'ultimate'],
  'LicenseBasic.plan': ['Plan that it puts in force.', 'ultimate'],
  'License.starts_at': ['First day of the license, which begins at midnight UTC.', '2026-01-27'],
  'LicenseBasic.starts_at': ['First day of the license, which begins at midnight UTC.', '2026-01-27'],
  'License.expires_at': ['First day on which the license is over; null where it never is.', '2027-01-27'],
  'LicenseBasic.expires_at': ['First day on which the license is over; null where it never is.', '2027-01-27'],
  historical_max: ['Most billable users that there were on a day of the license.', 90],
  maximum_user_count: ['Most billable users that there were on a day of the license.', 90],
  user_limit: ['Users that the license is for; 0 where it is for any number.', 100],
  active_users: ['Billable users that there are now.', 85],
  overage: ['Billable users beyond those that the license is for: at most, once it has expired, else now.', 0],
  expired: ['Whether the license is over.'],
  licensee: ['Whom the license was issued to.'],
  Name: ['Name of the licensee.', 'Ada Example'],
  Email: ['Mail address of the licensee.', 'ada@example.com'],
  Company: ['Company of the licensee.', 'Example'],
  add_ons: ['Additions by name, each with its number.', { GitLab_FileLocks: 1 }],
  success: ['Whether it was done.'],
};
