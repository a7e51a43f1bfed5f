import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { timestamp, today } from '../../src/core/clock.ts';
import { writeLicenseKey } from '../../src/licence/licence.key.ts';
import { dayAfter, type LicenseTerms } from '../../src/licence/terms.ts';
import type { TestApp } from './app.ts';

/** Somebody who makes licenses. */
export interface Issuer {
  privateKey: KeyObject;
  /** As `STITHY_LICENSE_ISSUER` takes it. */
  publicKey: string;
}

export function makeIssuer(): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
}

/** What a license says of itself, with what matters given. */
export type TermOverrides = Partial<Omit<LicenseTerms, 'restrictions'>> & {
  restrictions?: Partial<LicenseTerms['restrictions']>;
};

/** Terms of a year from a day on. */
export const yearFrom = (day: string, overrides: TermOverrides = {}): LicenseTerms => ({
  version: 1,
  licensee: { Name: 'Ada Example', Email: 'ada@example.com', Company: 'Example' },
  issued_at: day,
  starts_at: day,
  expires_at: dayAfter(overrides.starts_at ?? day, 365),
  notify_admins_at: null,
  notify_users_at: null,
  block_changes_at: null,
  ...overrides,
  restrictions: {
    plan: 'premium',
    active_user_count: 100,
    add_ons: {},
    previous_user_count: null,
    trueup_quantity: null,
    ...overrides.restrictions,
  },
});

/** The key of a license of a year from today on, as the app's clock has it. */
export const licenseKey = (app: TestApp, issuer: Issuer, overrides: TermOverrides = {}): string =>
  writeLicenseKey(yearFrom(today(app.deps.clock), overrides), issuer.privateKey);

/** Puts a license into the database as if it had been added. @returns its id */
export async function enterLicense(app: TestApp, issuer: Issuer, overrides: TermOverrides = {}): Promise<number> {
  const { id } = await app.deps.db
    .insertInto('licenses')
    .values({ data: licenseKey(app, issuer, overrides), created_at: timestamp(app.deps.clock) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
