/** A parsed slash command. */
export type Command =
  | { kind: 'help' }
  | { kind: 'issue show' | 'issue close'; iid: number }
  | { kind: 'issue new'; title: string; description: string }
  | { kind: 'issue search'; query: string }
  | { kind: 'issue comment'; iid: number; body: string }
  | { kind: 'deploy'; from: string; to: string };

const ISSUE = /^issue\s+(show|close|comment)\s+#?(\d{1,10})$/;
const NEW = /^issue\s+(?:new|create)\s+(\S.*)$/;
const SEARCH = /^issue\s+search\s+(\S.*)$/;
const DEPLOY = /^deploy\s+(\S+)\s+to\s+(\S+)$/;

/** Parses a command; undefined if it is invalid. */
export function parseCommand(input: string): Command | undefined {
  const text = input.trim();
  const [first = ''] = text.split('\n', 1);
  const head = first.trim();
  const rest = text.slice(first.length).trim();
  if (text === '' || text === 'help') return { kind: 'help' };
  const [, verb, number] = ISSUE.exec(head) ?? [];
  const iid = Number(number);
  if (verb === 'comment') return rest === '' ? undefined : { kind: 'issue comment', iid, body: rest };
  if (verb === 'show' || verb === 'close') return { kind: `issue ${verb}`, iid };
  const [, title] = NEW.exec(head) ?? [];
  if (title !== undefined) return { kind: 'issue new', title, description: rest };
  const [, query] = SEARCH.exec(head) ?? [];
  if (query !== undefined) return { kind: 'issue search', query };
  const [, from, to] = DEPLOY.exec(head) ?? [];
  return from === undefined || to === undefined ? undefined : { kind: 'deploy', from, to };
}

/** Syntax of the commands, one per line. */
export const USAGE: readonly string[] = [
  '`issue show ID`',
  '`issue new TITLE`, with a description on the lines after it (Shift and Enter)',
  '`issue search WORDS`',
  '`issue close ID`',
  '`issue comment ID`, with the comment on the lines after it',
  '`deploy ENVIRONMENT to TARGET-ENVIRONMENT`',
  '`help`',
];
