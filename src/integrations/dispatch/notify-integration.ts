import { RetryLater } from '../../core/retry-later.ts';
import { parseJson } from '../../db/columns.ts';
import type { Integration } from '../../db/tables/integrations.table.ts';
import type { Deps } from '../../deps.ts';
import type { RecordedEvent } from '../../jobs/jobs.events.ts';
import { uuidOf } from '../../webhooks/webhooks.message.ts';
import type { HookMessage, HookSource } from '../../webhooks/webhooks.source.ts';
import { type FlagValues, flagValue } from '../catalogue/catalogue.flags.ts';
import { type IntegrationKind, kindOf } from '../catalogue/catalogue.kinds.ts';
import { FIELDS } from '../catalogue/fields.ts';
import { effectiveIntegration } from '../effective-integrations.ts';
import { isAllowed } from '../integrations.rules.ts';
import { openSettings, type Settings, textOf } from '../integrations.settings.ts';
import { callService, serverOf } from './call-service.ts';
import { HANDLERS } from './dispatch.handlers.ts';
import { type DispatchContext, InvalidRequest, ServiceUnreachable } from './dispatch-context.ts';
import { isSubscribed, ownerOf } from './enqueue-notifications.ts';
import type { Payload } from './integration-payload.ts';

/** First pause after an unreachable service, in milliseconds; doubles up to the longest one. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Time after which an event is no longer sent, in milliseconds. */
const LATEST_MS = 86_400_000;

/** Loads the integration if it is still active and subscribed to the event. */
async function activeIntegration(deps: Deps, event: RecordedEvent, id: number): Promise<Integration | undefined> {
  const row = await deps.db.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirst();
  const place = ownerOf(event);
  if (row === undefined || place === null || row.active === 0) return undefined;
  const effective = await effectiveIntegration(deps.db, place, row.slug);
  return effective?.row.id === id ? row : undefined;
}

/**
 * Sends an event to one integration. If the service is unreachable, it is sent later, and following events wait; a
 * refused one is not sent again.
 * @throws RetryLater; the reason of the signal
 */
export async function notifyIntegration(
  deps: Deps,
  source: HookSource,
  event: RecordedEvent,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const row = await activeIntegration(deps, event, id);
  const kind = row && kindOf(row.slug);
  if (row === undefined || kind === undefined || !(await isAllowed(deps, kind))) return;
  const settings = openSettings(deps, row);
  const flags = parseJson<FlagValues>(row.flags);
  let done = false;
  try {
    for (const [position, message] of (await source.hookEventsOf(deps, event, kind.slug === 'datadog')).entries()) {
      const incident = (message.payload as Payload).object_attributes?.type === 'Incident';
      if (!isSubscribed(row, kind, message.trigger, incident)) continue;
      const key = uuidOf('integration', row.id, event.id, position);
      await HANDLERS.get(row.slug)?.(
        dispatchContextOf({ deps, event, kind, settings, flags, message, signal }, key, () => {
          done = true;
        }),
      );
    }
  } catch (error) {
    if (error instanceof InvalidRequest) {
      deps.log.log('warn', 'integration not called: invalid settings', {
        integration: id,
        slug: row.slug,
        reason: error.message,
      });
      return;
    }
    if (!(error instanceof ServiceUnreachable)) throw error;
    deps.log.log('warn', 'integration not reached', { integration: id, slug: row.slug, reason: error.message });
    const late = Date.parse(event.created_at) < deps.clock.now().getTime() - LATEST_MS;
    // A partly sent event is not sent again.
    if (done || late) return;
    if (!(await noteFailures(deps, row, row.failures + 1)))
      throw new RetryLater(0, 'the integration was changed in the meantime');
    throw new RetryLater(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(row.failures, 20)), error.message);
  }
  if (row.failures > 0) await noteFailures(deps, row, 0);
}

/** @returns whether the settings are still those of the call; if not, nothing is stored */
async function noteFailures({ db }: Deps, { id, settings }: Integration, failures: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('integrations')
    .set({ failures })
    .where('id', '=', id)
    .where('settings', '=', settings)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

interface Delivery {
  deps: Deps;
  event: RecordedEvent;
  kind: IntegrationKind;
  settings: Settings;
  flags: FlagValues;
  message: HookMessage;
  signal: AbortSignal;
}

/** @param answered called when the service has accepted a request */
function dispatchContextOf(
  { deps, event, kind, settings, flags, message, signal }: Delivery,
  idempotencyKey: string,
  answered: () => void,
): DispatchContext {
  const setting = (name: string) => {
    const value = settings[name] ?? FIELDS[name]?.fallback;
    return value === '' ? undefined : value;
  };
  return {
    deps,
    slug: kind.slug,
    projectId: event.project_id,
    actorId: event.actor_id,
    trigger: message.trigger,
    header: message.header,
    payload: message.payload as Payload,
    raw: message.payload,
    idempotencyKey,
    setting,
    text: textOf(settings),
    flag: (name) => flagValue(flags, name) === true,
    call: async (request) => {
      const answer = await callService(
        deps,
        { verifyTls: setting('enable_ssl_verification') !== false, ...request },
        message.header,
        signal,
      );
      if (answer.status >= 200 && answer.status < 400) answered();
      else {
        const about = { slug: kind.slug, server: serverOf(request.url), status: answer.status };
        deps.log.log('warn', 'integration refused the request', about);
      }
      return answer;
    },
    signal,
  };
}
