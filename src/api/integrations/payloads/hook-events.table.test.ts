import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isEventKind } from '../../../core/core.domain-events.ts';
import { HOOK_EVENTS, TRIGGERS } from './hook-events.table.ts';

const root = join(import.meta.dirname, '../../../..');
const TABLE = 'src/api/integrations/payloads/hook-events.table.ts';
/** Where a word that is a trigger or a kind of event means that. */
const ROOMS = /^src\/(webhooks|integrations|api\/integrations)\//;
/** A builder serves the kinds of events of its rows, and names the trigger of each payload if it serves several. */
const BUILDER = /^src\/api\/integrations\/payloads\/[a-z-]+\.payload\.ts$/;

/** Files that may name triggers, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/api/integrations/hooks/hooks.log-endpoints.ts': 'an example in the document',
  'src/api/integrations/slash-commands/issue-commands.ts': 'a part of addresses',
  'src/integrations/builds/servers.ts': 'what a build server does with an event',
  'src/integrations/catalogue/catalogue.flags.ts': 'the flags of integrations: their own table, with other defaults',
  'src/integrations/catalogue/catalogue.kinds.ts': 'which integration has which of these flags',
  'src/integrations/catalogue/fields.ts': 'the channels of chats',
  'src/integrations/chat/delivery-messages.ts': 'the channels of chats',
  'src/integrations/chat/issuable-messages.ts': 'the channels of chats',
  'src/integrations/chat/pipeline-message.ts': 'the channels of chats',
  'src/integrations/chat/rooms.ts': 'what a chat does with an event',
  'src/integrations/dispatch/dispatch-filters.ts': 'which events have a branch that integrations filter by',
  'src/integrations/dispatch/enqueue-notifications.ts': 'Jira has its own flag for commits',
  'src/integrations/trackers/jira.ts': 'what Jira does with an event',
  'src/test-bench/deliveries/deliveries.routes.ts': 'an example in the document',
  'src/test-bench/seed-export/export-belongings.ts': 'the flag that is on by default',
};

const triggers: ReadonlySet<string> = new Set(TRIGGERS);
const headers: ReadonlySet<string> = new Set(TRIGGERS.flatMap((trigger) => HOOK_EVENTS[trigger].header ?? []));
const isFlag = (word: string): boolean => word.endsWith('_events') && triggers.has(word.slice(0, -'_events'.length));

/** What a file says of triggers, flags, headers and kinds of events, without its comments. */
function named(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/\/\*.*?\*\/|(?<![:'"`])\/\/.*/gs, '');
  const texts = [...text.matchAll(/(['"`])((?:(?!\1)[^\\\n])*)\1/g)]
    .map(([, , literal]) => literal!)
    .filter((word) => !['project', 'user', 'key'].includes(word));
  const keys = [...text.matchAll(/^\s*(\w+):/gm)].map(([, key]) => key!);
  const anywhere = [...texts.filter((word) => headers.has(word)), ...[...texts, ...keys].filter(isFlag)];
  if (!ROOMS.test(file)) return anywhere;
  return [...anywhere, ...texts.filter((word) => triggers.has(word) || isEventKind(word))];
}

test('triggers are named by the table of hook events and by the builders of its rows', () => {
  const files = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).map((file) =>
    file.replaceAll('\\', '/'),
  );
  const filesWithNames = files.filter((file) => file !== TABLE && !BUILDER.test(file) && named(file).length > 0);
  assert.deepEqual(filesWithNames.sort(), Object.keys(EXCEPTIONS).sort());
});
