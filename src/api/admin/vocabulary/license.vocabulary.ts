import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of licenses. */
export const licenseWords: Vocabulary['entries'] = {
  license: ['License key in Base64, as its issuer sent it.', 'eyJkYXRhIjoiZXlKMlpYSnphVzl1SWpveCJ9'],
  'License.plan': ['Plan of the license.', 'ultimate'],
  'LicenseBasic.plan': ['Plan of the license.', 'ultimate'],
  'License.starts_at': ['First day of the license, from midnight UTC.', '2026-01-27'],
  'LicenseBasic.starts_at': ['First day of the license, from midnight UTC.', '2026-01-27'],
  'License.expires_at': ['First day on which the license is no longer valid; null if it never expires.', '2027-01-27'],
  'LicenseBasic.expires_at': [
    'First day on which the license is no longer valid; null if it never expires.',
    '2027-01-27',
  ],
  historical_max: ['Highest number of billable users on a day of the license.', 90],
  maximum_user_count: ['Highest number of billable users on a day of the license.', 90],
  user_limit: ['Number of users that the license allows; 0 for no limit.', 100],
  active_users: ['Current number of billable users.', 85],
  overage: ['Number of billable users above the limit: now, or the highest number once the license has expired.', 0],
  expired: ['Whether the license has expired.'],
  licensee: ['Holder of the license.'],
  Name: ['Name of the licensee.', 'Ada Example'],
  Email: ['E-mail address of the licensee.', 'ada@example.com'],
  Company: ['Company of the licensee.', 'Example'],
  add_ons: ['Add-ons by name, each with its quantity.', { GitLab_FileLocks: 1 }],
  success: ['Whether the operation succeeded.'],
};
