import type { Environment } from '../config/env.ts';
import { StartupError } from '../core/startup-error.ts';
import { parseCommand, printsHelp } from './command.ts';
import { askServer, messageIn, REMOTE_OPTIONS, type RemoteServer, remoteServer } from './server-client.ts';

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

const OPTIONS = { ...REMOTE_OPTIONS, json: { type: 'boolean', default: false } } as const;

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
  server: RemoteServer;
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
    const server = remoteServer(values, env, { local: true });
    return { command, name: name ?? '', server, json: values.json };
  });

async function ask({ command, name, server }: Order): Promise<unknown> {
  const { method, path } = COMMANDS[command];
  const json = command === 'snapshot' ? { type: 'application/json', body: JSON.stringify({ name }) } : {};
  const { status, body } = await askServer(server, `/-/bench/${path(name)}`, { method, ...json });
  if (status < 400) return body === '' ? null : JSON.parse(body);
  throw new StartupError(`The server refuses it: ${messageIn(body) ?? body}`);
}

function textOf({ command, json }: Order, answer: unknown): string {
  if (answer === null) return '';
  if (json) return `${JSON.stringify(answer)}\n`;
  if (command !== 'snapshots') return lineOf(answer as Facts);
  return (answer as Facts[]).map(lineOf).join('');
}

const lineOf = ({ name, created_at, bytes }: Facts): string => `${name}  ${created_at}  ${bytes} bytes\n`;
