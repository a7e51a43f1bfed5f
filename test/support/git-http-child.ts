/* Serves a repository until it is killed: `git-http-child.ts <folder> <check|update>`. At that point of a push it says so and waits for ever. */
import { type GitHttpOptions, serveGit } from './git-http.ts';

const [dir, moment] = process.argv.slice(2);

function stop(): Promise<never> {
  process.stdout.write('reached\n');
  return new Promise(() => {});
}

const options: GitHttpOptions = moment === 'check' ? { check: stop } : { update: stop };
const http = await serveGit(options, dir);
process.stdout.write(`${http.url}\n`);
