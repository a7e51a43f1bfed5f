import type { Environment } from '../config/env.ts';
import { VERSION } from '../core/core.version.ts';
import { StartupError } from '../core/startup-error.ts';
import { SeedError } from '../test-bench/seed/seed.error.ts';
import { serveCommand } from './cli.serve.ts';

const HELP = `stithy ${VERSION.stithy}: a source-hosting server that speaks the GitLab REST API v4

Usage: stithy <command>

  serve        run the server
  doctor       check the installation and report problems
  init         write a seed file to begin with
  seed         make what a seed file describes
  export-seed  write a seed file from a server
  backup       back up the installation to a folder
  restore      restore a backup into an empty data folder and database
  bench        take and restore snapshots of a running test bench
  jobs         show, list, retry and delete background jobs
  license      create and show licenses
  token        create another access token of the administrator
  tokens       list and revoke access tokens
  users        create users and set passwords
  version      print the version
  help         print this text

"stithy <command> --help" describes a command. Settings come from STITHY_* variables, see docs/operating.md.
`;

/** Runs a `stithy` command. @returns its exit code */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  const [command = 'help'] = args;
  try {
    switch (command) {
      case 'serve':
        return await serveCommand(args.slice(1), env);
      case 'init':
        return await (await import('./cli.init.ts')).initCommand(args.slice(1));
      case 'seed':
        return await (await import('./cli.seed.ts')).seedCommand(args.slice(1), env);
      case 'export-seed':
        return await (await import('./cli.export-seed.ts')).exportSeedCommand(args.slice(1), env);
      case 'doctor':
        return await (await import('./doctor.ts')).doctorCommand(args.slice(1), env);
      case 'backup':
        return await (await import('./cli.backup.ts')).backupCommand(args.slice(1), env);
      case 'restore':
        return await (await import('./cli.restore.ts')).restoreCommand(args.slice(1), env);
      case 'bench':
        return await (await import('./cli.bench.ts')).benchCommand(args.slice(1), env);
      case 'jobs':
        return await (await import('./cli.jobs.ts')).jobsCommand(args.slice(1), env);
      case 'license':
        return await (await import('./cli.license.ts')).licenseCommand(args.slice(1), env);
      case 'token':
        return await (await import('./token.ts')).tokenCommand(args.slice(1), env);
      case 'tokens':
        return await (await import('./cli.tokens.ts')).tokensCommand(args.slice(1), env);
      case 'users':
        return await (await import('./cli.users.ts')).usersCommand(args.slice(1), env);
      case 'version':
      case '--version':
      case '-v':
        process.stdout.write(`${VERSION.stithy}\n`);
        return 0;
      case 'help':
      case '--help':
      case '-h':
        process.stdout.write(HELP);
        return 0;
      default:
        process.stderr.write(`stithy: unknown command "${command}".\n\n${HELP}`);
        return 2;
    }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const isOfSeed = error.cause instanceof SeedError;
    process.stderr.write(isOfSeed ? `${error.message}\n` : `stithy: ${error.message}\n`);
    return isOfSeed ? 1 : 2;
  }
}
