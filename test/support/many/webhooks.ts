import type { Db } from '../../../src/db/db.schema.ts';
import { at, insert, rowsOf } from './rows.ts';

const HOOKS = 300;

/** Webhooks of the server, of a group and of projects, with so many calls of the first one of the big project. */
export async function webhooks(db: Db, amount: number, group: number, projectOf: (n: number) => number): Promise<void> {
  const places = [
    () => ({ project_id: null, group_id: null }),
    () => ({ project_id: null, group_id: group }),
    (n: number) => ({ project_id: projectOf(n), group_id: null }),
  ];
  await insert(
    db,
    'web_hooks',
    rowsOf(HOOKS, (n) => ({
      id: n + 1,
      uuid: `hook-${n}`,
      ...places[n % places.length]!(n),
      name: null,
      description: null,
      triggers: '["push"]',
      push_events_branch_filter: null,
      custom_webhook_template: null,
      secrets: '',
      disabled_until: null,
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'web_hook_logs',
    rowsOf(amount, (n) => ({
      hook_id: 3 * (n % 50) + 2,
      payload_id: null,
      trigger_name: 'push_hooks',
      url: 'https://hook.example',
      url_digest: 'x',
      event_uuid: `event-${n}`,
      idempotency_key: `key-${n}`,
      request_headers: '{}',
      request_data: '{}',
      response_status: n % 3 === 0 ? '500' : '200',
      response_headers: '{}',
      response_body: '',
      execution_duration: 0.1,
      created_at: at(n),
    })),
  );
}
