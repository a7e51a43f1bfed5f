import type { Deps } from '../deps.ts';
import {
  SCHEDULE_EVERY_MS,
  SCHEDULE_PULL_MIRRORS,
  scheduleDue,
  UPDATE_PULL_MIRROR,
} from './pull/pull-mirror.schedule.ts';
import { updatePullMirror } from './pull/pull-mirror.update.ts';
import { hasEnabledMirrors, scheduleAfterPush, UPDATE_REMOTE_MIRROR } from './push/push-mirror.schedule.ts';
import { updateRemoteMirror } from './push/push-mirror.update.ts';

/** Registers the background work of mirrors. */
export function registerMirrors(deps: Deps): void {
  deps.jobs.register(UPDATE_PULL_MIRROR, ({ project_id }, run) => updatePullMirror(deps, project_id, run));
  deps.jobs.every(SCHEDULE_PULL_MIRRORS, { everyMs: SCHEDULE_EVERY_MS }, () => scheduleDue(deps));
  deps.jobs.register(UPDATE_REMOTE_MIRROR, ({ mirror_id }, run) => updateRemoteMirror(deps, mirror_id, run));
  deps.events.subscribe({
    name: 'remote-mirrors.push',
    types: ['push'],
    wants: ({ payload }, db) => hasEnabledMirrors(db, payload.project_id),
    handle: ({ payload }) => scheduleAfterPush(deps, payload.project_id),
  });
}
