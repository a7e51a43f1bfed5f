import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock, today } from '../core/clock.ts';
import { StartupError } from '../core/startup-error.ts';
import { makeIssuer, readIssuer } from '../licence/issuer.ts';
import { InvalidLicenseKey, readLicenseKey, verifyLicenseKey, writeLicenseKey } from '../licence/licence.key.ts';
import { dayAfter, InvalidTerms, type LicenseTerms, lapsesAt, readTerms } from '../licence/terms.ts';

const HELP = `Usage: stithy license issuer <file>
       stithy license issue  --issuer <file> --plan PLAN --name NAME [--email EMAIL] [--company COMPANY]
                             [--users N] [--starts DAY] [--expires DAY | --days N] [--blocks DAY]
                             [--add-on NAME=N ...] [--previous-users N] [--trueup N]
       stithy license show   <key | file | -> [--json]

Creates and shows licenses for tests and private use. Neither needs a server.

  issuer   create the key pair of an issuer: the private key in a new file, the public key in the same name with .pub.
           The public key is also printed: it is the value of STITHY_LICENSE_ISSUER of a server
  issue    print a license key, for POST /license. PLAN is starter, premium or ultimate; a DAY looks like 2026-01-31.
           By default the license starts today, lasts a year and has no limit of users; with --expires never it has no end
  show     show the terms of a license key, and whether the issuer in STITHY_LICENSE_ISSUER has signed it; - reads the key
           from standard input
`;

/** `stithy license`: creates issuers and licenses, and shows license keys. */
export async function licenseCommand(args: readonly string[], env: Environment): Promise<number> {
  const [action, ...rest] = args;
  if (action === undefined || ['help', '--help', '-h'].includes(action) || rest.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  try {
    if (action === 'issuer') return await makePair(rest);
    if (action === 'issue') return await issue(rest);
    if (action === 'show') return await show(rest, env);
    throw new Error(`unknown command "stithy license ${action}".`);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${(error as Error).message}\nSee "stithy license --help".`);
  }
}

async function makePair(args: readonly string[]): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error('expected exactly one file, for the private key.');
  const publicKey = await makeIssuer(file);
  process.stdout.write(`${publicKey}\n`);
  process.stderr.write(
    `The private key is in ${file}: keep it secret, because it can issue licenses. The public key is shown above and is\n` +
      `in ${file}.pub: set STITHY_LICENSE_ISSUER to either, and the server accepts licenses of this issuer.\n`,
  );
  return 0;
}

async function issue(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      issuer: text,
      plan: text,
      name: text,
      email: text,
      company: text,
      users: text,
      starts: text,
      expires: text,
      days: text,
      blocks: text,
      'add-on': { type: 'string', multiple: true },
      'previous-users': text,
      trueup: text,
    },
  });
  if (values.issuer === undefined)
    throw new Error('--issuer is missing: it names the file with the private key of the issuer.');
  if (values.expires !== undefined && values.days !== undefined)
    throw new Error('--expires and --days are mutually exclusive.');
  const starts_at = values.starts ?? today(systemClock);
  const expires_at = values.expires ?? endAfter(starts_at, count('days', values.days) ?? 365);
  const terms = checked({
    version: 1,
    licensee: { Name: values.name, Email: values.email, Company: values.company },
    issued_at: today(systemClock),
    starts_at,
    expires_at: expires_at === 'never' ? null : expires_at,
    block_changes_at: values.blocks,
    restrictions: {
      plan: values.plan,
      active_user_count: count('users', values.users),
      add_ons: Object.fromEntries((values['add-on'] ?? []).map(addOn)),
      previous_user_count: count('previous-users', values['previous-users']),
      trueup_quantity: count('trueup', values.trueup),
    },
  });
  process.stdout.write(`${writeLicenseKey(terms, await readIssuer(values.issuer))}\n`);
  return 0;
}

/** Validates the terms and adds the days of notifications and of the end of the plan, which follow from the expiry. */
function checked(input: unknown): LicenseTerms {
  try {
    const terms = readTerms(input);
    const notifyAt = terms.expires_at === null ? null : dayAfter(terms.expires_at, -15);
    return {
      ...terms,
      notify_admins_at: notifyAt,
      notify_users_at: terms.expires_at,
      block_changes_at: lapsesAt(terms),
    };
  } catch (error) {
    throw error instanceof InvalidTerms ? new Error(`invalid license: ${error.message}.`) : error;
  }
}

function endAfter(day: string, days: number): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new Error('--starts must be a day such as 2026-01-31.');
  }
  return dayAfter(day, days);
}

function count(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a number.`);
  return Number(text);
}

function addOn(text: string): [string, number] {
  const [name = '', number] = text.split('=');
  const value = count('add-on NAME', number);
  if (name === '' || value === null) throw new Error('--add-on must look like GitLab_FileLocks=1.');
  return [name, value];
}

async function show(args: readonly string[], env: Environment): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [argument, ...more] = positionals;
  if (argument === undefined || more.length > 0) throw new Error('expected exactly one license key, file or -.');
  const key = await keyOf(argument);
  const terms = readLicenseKey(key);
  const trust = trustOf(key, loadConfig(env).config.licenseIssuer);
  process.stdout.write(values.json ? `${JSON.stringify({ ...terms, trust }, null, 2)}\n` : inWords(terms, trust));
  return 0;
}

/** Reads the key from standard input or a file, or returns the argument itself. */
async function keyOf(argument: string): Promise<string> {
  if (argument === '-') return text(process.stdin);
  try {
    return await readFile(argument, 'utf8');
  } catch {
    return argument;
  }
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function trustOf(key: string, issuer: string | null): string {
  if (issuer === null) return 'STITHY_LICENSE_ISSUER is not set: servers with these settings accept no license';
  try {
    verifyLicenseKey(key, issuer);
    return 'signed by the issuer in STITHY_LICENSE_ISSUER';
  } catch (error) {
    if (!(error instanceof InvalidLicenseKey)) throw error;
    return 'not signed by the issuer in STITHY_LICENSE_ISSUER';
  }
}

function inWords(terms: LicenseTerms, trust: string): string {
  const { licensee, restrictions } = terms;
  const rows: [string, string | number | null][] = [
    ['plan', restrictions.plan],
    ['licensee', [licensee.Name, licensee.Email, licensee.Company].filter(Boolean).join(', ')],
    ['users', restrictions.active_user_count ?? 'unlimited'],
    [
      'add-ons',
      Object.entries(restrictions.add_ons)
        .map(([name, number]) => `${name}=${number}`)
        .join(', ') || null,
    ],
    ['previous users', restrictions.previous_user_count],
    ['true-up', restrictions.trueup_quantity],
    ['issued', terms.issued_at],
    ['starts', terms.starts_at],
    ['expires', terms.expires_at ?? 'never'],
    ['plan ends', lapsesAt(terms) ?? 'never'],
    ['issuer', trust],
  ];
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(16)}${String(value).replaceAll(/\p{Cc}/gu, ' ')}\n`)
    .join('');
}
