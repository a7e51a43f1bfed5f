import { access, constants } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Config, loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { type Database, openExisting } from '../db/database.ts';
import type { Db } from '../db/db.schema.ts';
import { runGit, useGitConfig } from '../git/process/index.ts';
import { fsck, RepositoryPool, Storages } from '../git/repository/index.ts';
import { hostKeyFingerprints } from '../git-server/ssh/host-keys.ts';
import { Mailer } from '../mail/mailer.ts';
import { allRepositories } from '../repositories/all.ts';
import { findHolder, type Holder } from '../repositories/holder.ts';
import { parseOptions, printsHelp } from './command.ts';
import { checkAgreement } from './doctor-agreement.ts';
import { leftReadOnly } from './left-read-only.ts';

type Say = (good: boolean, text: string) => void;

const MIN_GIT = [2, 39] as const;
const OPTIONS = { quick: { type: 'boolean', default: false } } as const;
const SHOWN_EVERY = 100;
const SHOWN_PROBLEMS = 3;
const USABLE = constants.R_OK | constants.W_OK | constants.X_OK;

const HELP = `Usage: stithy doctor [--quick]

Checks the installation, whether the server runs or not, and reports problems and how to solve them. Nothing is changed.
The exit code is 1 if there is a problem.

  --quick   do not check every object of repositories and every uploaded file
`;

/**
 * `stithy doctor`: checks an installation without changing it, and reports problems and how to solve them.
 * @returns 0 if there are no problems, else 1
 */
export async function doctorCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const { quick } = parseOptions(args, HELP, OPTIONS);
  const { config, warnings } = loadConfig(env);
  let wrong = 0;
  const say: Say = (good, text) => {
    if (!good) wrong += 1;
    process.stdout.write(`${good ? 'ok   ' : 'WRONG'}  ${text}\n`);
  };
  for (const warning of warnings) say(false, warning);
  await checkGit(say);
  if (!(await checkFolders(config, say))) return 1;
  await checkSsh(config, say);
  useGitConfig(config.dataDir);
  let database: Database;
  try {
    database = await openExisting(config.database);
  } catch (error) {
    say(false, `The database cannot be opened: ${(error as Error).message}`);
    return 1;
  }
  try {
    await checkDatabase(config, database, say);
    await checkRepositories(config, database, quick, say);
    await checkAgreement(config, database, quick, say);
    await checkMail(config, say);
  } finally {
    await database.close();
  }
  process.stdout.write(wrong === 0 ? '\nNo problems found.\n' : `\n${wrong} problem${wrong === 1 ? '' : 's'} found.\n`);
  return wrong === 0 ? 0 : 1;
}

async function checkGit(say: Say): Promise<void> {
  try {
    const text = (await runGit(['--version'])).stdout.toString().trim();
    const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
    const good = major > MIN_GIT[0] || (major === MIN_GIT[0] && minor >= MIN_GIT[1]);
    say(good, good ? text : `${text} is too old: install git ${MIN_GIT.join('.')} or later.`);
  } catch {
    say(false, 'git cannot be run: install it, or add it to PATH.');
  }
}

async function checkFolders(config: Config, say: Say): Promise<boolean> {
  let good = true;
  for (const [what, path] of [
    ['data', config.dataDir],
    ...config.storages.map(({ name, path }) => [`storage ${name}`, path]),
  ]) {
    try {
      await access(path!, USABLE);
      say(true, `${what} folder ${path}`);
    } catch (error) {
      good = false;
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      say(
        false,
        `The ${what} folder ${path} ${missing ? 'does not exist: start the server once with these settings.' : 'cannot be read and written by this user.'}`,
      );
    }
  }
  return good;
}

async function checkSsh({ host, sshPort, dataDir }: Config, say: Say): Promise<void> {
  if (sshPort === null) return;
  try {
    const keys = await hostKeyFingerprints(dataDir);
    const shown = keys.length === 0 ? 'host keys are created at the next start' : `host keys ${keys.join(', ')}`;
    say(true, `Git over SSH at ${host}, port ${sshPort === 0 ? 'any' : sshPort}: ${shown}.`);
  } catch (error) {
    say(false, (error as Error).message);
  }
}

async function checkDatabase(config: Config, { db }: Database, say: Say): Promise<void> {
  if (config.database.kind === 'sqlite') {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    const problems = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    say(
      problems.length === 0,
      problems.length === 0 ? 'The database is intact.' : `The database is damaged (${problems[0]}): restore a backup.`,
    );
    const broken = await sql`pragma foreign_key_check`.execute(db);
    if (broken.rows.length > 0) say(false, `${broken.rows.length} rows refer to missing rows.`);
  } else {
    await sql`select 1`.execute(db);
    say(true, 'The database answers.');
  }
  const intents = await db.selectFrom('ref_intents').select('id').execute();
  say(
    true,
    intents.length === 0
      ? 'There are no interrupted writes.'
      : `${intents.length} writes are in progress or were interrupted; the next start recovers them.`,
  );
  const dead = await db.selectFrom('jobs').select(['kind', 'last_error']).where('state', '=', 'dead').execute();
  const first = dead[0];
  say(
    first === undefined,
    first === undefined
      ? 'There are no dead jobs.'
      : `${dead.length} dead jobs, such as ${first.kind}: ${first.last_error}`,
  );
  for (const name of await leftReadOnly(db, SHOWN_PROBLEMS)) {
    say(false, `The repository of ${name} is read-only, although it is neither being imported nor moved.`);
  }
}

async function checkMail({ mail }: Config, say: Say): Promise<void> {
  const mailer = new Mailer(mail, () => 'localhost');
  if (!mailer.sends) return say(true, 'Mails are not sent: STITHY_SMTP_URL is not set.');
  try {
    await mailer.verify();
    say(true, 'The mail server accepts mails.');
  } catch (error) {
    say(false, `The mail server in STITHY_SMTP_URL refuses mails: ${(error as Error).message}`);
  } finally {
    await mailer.close();
  }
}

async function checkRepositories(config: Config, { db }: Database, quick: boolean, say: Say): Promise<void> {
  const storages = new Storages(config.storages, new RepositoryPool());
  let count = 0;
  let broken = 0;
  for await (const holder of allRepositories(db)) {
    count += 1;
    const problem = await problemNow(db, storages, holder, quick);
    if (problem !== null) {
      broken += 1;
      say(false, `The repository of ${holder.name} (id ${holder.id}): ${problem}`);
    }
    if (process.stderr.isTTY && count % SHOWN_EVERY === 0) process.stderr.write(`\r${count} repositories checked`);
  }
  if (process.stderr.isTTY && count > 0) process.stderr.write('\r\x1b[K');
  await storages.pool.close();
  if (broken === 0) say(true, `${count} repositories ${quick ? 'exist' : 'are intact'}.`);
}

/** The problem of a repository at its current location: it may be moved or deleted during the check. */
async function problemNow(db: Db, storages: Storages, holder: Holder, quick: boolean): Promise<string | null> {
  const problem = await problemOf(storages, holder, quick);
  if (problem === null) return null;
  const now = await findHolder(db, holder);
  if (now === undefined) return null;
  return now.disk_path === holder.disk_path ? problem : problemNow(db, storages, now, quick);
}

async function problemOf(
  storages: Storages,
  { repository_storage: storage, disk_path: diskPath }: Holder,
  quick: boolean,
): Promise<string | null> {
  try {
    const dir = storages.dirOf({ storage, diskPath });
    await access(`${dir}/HEAD`);
    for (const folder of [dir, `${dir}/objects`, `${dir}/refs`]) await access(folder, USABLE);
    if (quick) return null;
    const { ok, problems } = await fsck(dir);
    return ok ? null : problems.slice(0, SHOWN_PROBLEMS).join('; ');
  } catch (error) {
    return (error as Error).message;
  }
}
