import type { Environment } from '../config/env.ts';
import { VERSION } from '../core/core.version.ts';
import { StartupError } from '../core/startup-error.ts';
import { serveCommand } from './cli.serve.ts';

const HELP = `stithy ${VERSION.stithy}: a source-hosting server that speaks the GitLab REST API v4

Usage: stithy <command>

  serve      run the server (settings come from STITHY_* variables, see docs/operating.md)
  doctor     look over the installation and say what is wrong (--quick leaves out the check of every object)
  backup     copy the installation to a folder, server running or not: backup <folder> [--keep N | --list]
  restore    put such a copy into an empty data folder and database: restore <folder> [--at NAME]
  jobs       look after the background work: jobs [status | list | retry | drop] ("stithy jobs --help" says more)
  license    make an issuer of licenses, and licenses; look at one: license [issuer | issue | show] ("--help" says more)
  token      make another token of the administrator and print it
  tokens     list access tokens, without themselves, and revoke one: tokens [list | revoke] ("stithy tokens --help")
  users      make a user, or give one another password: users [create | password] ("stithy users --help")
  version    print the version
  help       print this text
`;

/** Runs one command of the `stithy` program. @returns its exit code */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  const [command = 'help'] = args;
  try {
    switch (command) {
      case 'serve':
        return await serveCommand(env);
      case 'doctor':
        return await (await import('./doctor.ts')).doctorCommand(args.slice(1), env);
      case 'backup':
        return await (await import('./cli.backup.ts')).backupCommand(args.slice(1), env);
      case 'restore':
        return await (await import('./cli.restore.ts')).restoreCommand(args.slice(1), env);
      case 'jobs':
        return await (await import('./cli.jobs.ts')).jobsCommand(args.slice(1), env);
      case 'license':
        return await (await import('./cli.license.ts')).licenseCommand(args.slice(1), env);
      case 'token':
        return await (await import('./token.ts')).tokenCommand(env);
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
        process.stderr.write(`stithy: there is no command "${command}".\n\n${HELP}`);
        return 2;
    }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`stithy: ${error.message}\n`);
    return 2;
  }
}
