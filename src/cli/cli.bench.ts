import type { Environment } from '../config/env.ts';
import { StartupError } from '../core/startup-error.ts';
import { parseCommand, printsHelp } from './command.ts';

const HELP = `Usage: stithy bench snapshot NAME
       stithy bench restore NAME
       stithy bench delete NAME
       stithy bench snapshots [--json]
       stithy bench reset

Steers the test bench of a running server.

  snapshot    keep the state of now under a name
  restore     make everything as it was when a snapshot was taken
  delete      delete a snapshot
  snapshots   list the snapshots
  reset       go back to what the seed made at the start

  --url URL       address of the server (default: http://127.0.0.1:STITHY_PORT)
  --token TOKEN   the administrator's token (default: STITHY_ROOT_TOKEN)
  --json          print JSON
`;

const OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Commands with their requests below /-/bench/. */
const COMMANDS = {
  snapshot: { method: 'POST', path: () => 'snapshots', named: true },
  restore: { method: 'POST', path: (name: string) => `snapshots/${encodeURIComponent(name)}/restore`, named: true },
  delete: { method: 'DELETE', path: (name: string) => `snapshots/${encodeURIComponent(name)}`, named: true },
  snapshots: { method: 'GET', path: () => 'snapshots', named: false },
  reset: { method: 'POST', path: () => 'reset', named: false },
} as const;

interface Order {
  command: keyof typeof COMMANDS;
  name: string;
  url: string;
  token: string;
  json: boolean;
}

interface Facts {
  name: string;
  created_at: string;
  bytes: number;
}

/**
 * `stithy bench`: takes, restores, lists and deletes snapshots of a running server, and resets it.
 * @returns the exit code
 * @throws StartupError for wrong arguments, and for what the server refuses
 */
export async function benchCommand(args: readonly string[], env: Environment): Promise<number> {
  if (printsHelp(args, HELP)) return 0;
  const order = readArguments(args, env);
  process.stdout.write(textOf(order, await ask(order)));
  return 0;
}

const readArguments = (args: readonly string[], env: Environment): Order =>
  parseCommand(args, HELP, OPTIONS, ({ values, positionals: [word, name, extra] }) => {
    const command = (Object.keys(COMMANDS) as Order['command'][]).find((known) => known === word);
    if (command === undefined) throw new Error(`unknown command "stithy bench ${word ?? ''}".`);
    const { named } = COMMANDS[command];
    if (named !== (name !== undefined) || extra !== undefined)
      throw new Error(`"stithy bench ${command}" takes ${named ? 'one name' : 'no name'}.`);
    const token = values.token ?? env.STITHY_ROOT_TOKEN;
    if (token === undefined) throw new Error('--token is missing.');
    const url = (values.url ?? `http://127.0.0.1:${env.STITHY_PORT ?? 8080}`).replace(/\/+$/, '');
    return { command, name: name ?? '', url, token, json: values.json };
  });

async function ask({ command, name, url, token }: Order): Promise<unknown> {
  const { method, path } = COMMANDS[command];
  const json = command === 'snapshot' ? { body: JSON.stringify({ name }) } : {};
  let response: Response;
  let text: string;
  try {
    const headers = {
      'private-token': token,
      ...(command === 'snapshot' ? { 'content-type': 'application/json' } : {}),
    };
    response = await fetch(`${url}/-/bench/${path(name)}`, { method, headers, ...json });
    text = await response.text();
  } catch (error) {
    throw new StartupError(`There is no server at ${url}: ${(error as Error).message}`);
  }
  if (response.ok) return text === '' ? null : JSON.parse(text);
  const message = response.headers.get('content-type')?.includes('json') ? JSON.parse(text).message : text;
  throw new StartupError(`The server refuses it: ${typeof message === 'string' ? message : JSON.stringify(message)}`);
}

function textOf({ command, json }: Order, answer: unknown): string {
  if (answer === null) return '';
  if (json) return `${JSON.stringify(answer)}\n`;
  if (command !== 'snapshots') return lineOf(answer as Facts);
  return (answer as Facts[]).map(lineOf).join('');
}

const lineOf = ({ name, created_at, bytes }: Facts): string => `${name}  ${created_at}  ${bytes} bytes\n`;
