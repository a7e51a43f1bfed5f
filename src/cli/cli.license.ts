import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { systemClock, today } from '../core/clock.ts';
import { StartupError } from '../core/startup-error.ts';
import { makeIssuer, readIssuer } from '../licence/issuer.ts';
import { BadLicenseKey, readLicenseKey, verifyLicenseKey, writeLicenseKey } from '../licence/licence.key.ts';
import { BadTerms, dayAfter, type LicenseTerms, lapsesAt, readTerms } from '../licence/terms.ts';

const HELP = `Usage: stithy license issuer <file>
       stithy license issue  --issuer <file> --plan PLAN --name NAME [--email EMAIL] [--company COMPANY]
                             [--users N] [--starts DAY] [--expires DAY | --days N] [--blocks DAY]
                             [--add-on NAME=N ...] [--previous-users N] [--trueup N]
       stithy license show   <key | file | -> [--json]

Makes licenses for tests and private use, and looks at them. No server is needed, and none is changed.

  issuer   make the key pair of an issuer: the private key goes to the file, which must not be there yet, the public one
           to the same name with .pub, and to the terminal: it is what STITHY_LICENSE_ISSUER of a server takes
  issue    print the key of a license, for POST /license; PLAN is premium or ultimate (or starter), DAY is 2026-01-31.
           It is for any number of users, from today and for a year, unless told; --expires never makes one without an end
  show     what a key says, and whether the issuer that STITHY_LICENSE_ISSUER names has signed it; - reads it from standard
           input
`;

/** `stithy license`: makes issuers and licenses, and shows what a key says. */
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
    throw new Error(`there is no "stithy license ${action}".`);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${(error as Error).message}\nSee "stithy license --help".`);
  }
}

async function makePair(args: readonly string[]): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error('one file is needed, for the private key.');
  const publicKey = await makeIssuer(file);
  process.stdout.write(`${publicKey}\n`);
  process.stderr.write(
    `The private key is in ${file}: whoever has it can make licenses. The public one is above, and in ${file}.pub:\n` +
      `set STITHY_LICENSE_ISSUER to either, and a server takes the licenses of this issuer.\n`,
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
  if (values.issuer === undefined) throw new Error('--issuer names the file with the private key of the issuer.');
  if (values.expires !== undefined && values.days !== undefined) throw new Error('give --expires or --days, not both.');
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

/** The terms with the days on which people are told and the plan is lost, which follow from the end. */
function checked(given: unknown): LicenseTerms {
  try {
    const terms = readTerms(given);
    const told = terms.expires_at === null ? null : dayAfter(terms.expires_at, -15);
    return {
      ...terms,
      notify_admins_at: told,
      notify_users_at: terms.expires_at,
      block_changes_at: lapsesAt(terms),
    };
  } catch (error) {
    throw error instanceof BadTerms ? new Error(`this makes no license: ${error.message}.`) : error;
  }
}

function endAfter(day: string, days: number): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new Error('--starts takes a day such as 2026-01-31.');
  }
  return dayAfter(day, days);
}

function count(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} takes a number.`);
  return Number(text);
}

function addOn(text: string): [string, number] {
  const [name = '', number] = text.split('=');
  const value = count('add-on NAME', number);
  if (name === '' || value === null) throw new Error('--add-on looks like GitLab_FileLocks=1.');
  return [name, value];
}

async function show(args: readonly string[], env: Environment): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new Error('one key is needed, or a file that holds it, or -.');
  const key = await keyOf(given);
  const terms = readLicenseKey(key);
  const trust = trustOf(key, loadConfig(env).config.licenseIssuer);
  process.stdout.write(values.json ? `${JSON.stringify({ ...terms, trust }, null, 2)}\n` : inWords(terms, trust));
  return 0;
}

/** The text of the key, where it stands in a file too. */
async function keyOf(given: string): Promise<string> {
  if (given === '-') return text(process.stdin);
  try {
    return await readFile(given, 'utf8');
  } catch {
    return given;
  }
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function trustOf(key: string, issuer: string | null): string {
  if (issuer === null) return 'STITHY_LICENSE_ISSUER names nobody: no server with these settings takes it';
  try {
    verifyLicenseKey(key, issuer);
    return 'signed by the issuer that STITHY_LICENSE_ISSUER names';
  } catch (error) {
    if (!(error instanceof BadLicenseKey)) throw error;
    return 'not signed by the issuer that STITHY_LICENSE_ISSUER names';
  }
}

function inWords(terms: LicenseTerms, trust: string): string {
  const { licensee, restrictions } = terms;
  const rows: [string, string | number | null][] = [
    ['plan', restrictions.plan],
    ['licensee', [licensee.Name, licensee.Email, licensee.Company].filter(Boolean).join(', ')],
    ['users', restrictions.active_user_count ?? 'any number'],
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
    ['plan lost', lapsesAt(terms) ?? 'never'],
    ['issuer', trust],
  ];
  return rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(16)}${String(value).replaceAll(/\p{Cc}/gu, ' ')}\n`)
    .join('');
}
