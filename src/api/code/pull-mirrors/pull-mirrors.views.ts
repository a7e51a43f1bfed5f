import type { Static } from 'typebox';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { PullMirror } from '../../../db/tables/pull-mirrors.table.ts';
import type { Deps } from '../../../deps.ts';
import { maskCredentials } from '../../../mirroring/mirroring.address.ts';
import { mirrorSettings } from '../../../mirroring/pull/pull-mirror.settings.ts';
import { importUrlOf } from '../../../mirroring/stored-address.ts';
import type { PullMirror as Answer } from './pull-mirrors.responses.ts';

type PullMirrorJson = Static<typeof Answer>;

/** Renders a pull mirror. */
export function presentPullMirror(deps: Deps, project: Project, row: PullMirror): PullMirrorJson {
  const url = importUrlOf(deps, project);
  const { mirror, mirror_user_id: _, ...settings } = mirrorSettings(project);
  return {
    id: row.id,
    enabled: mirror,
    url: url === null ? null : maskCredentials(url),
    update_status: project.import_status as PullMirrorJson['update_status'],
    last_error: row.last_error,
    last_update_at: row.last_update_at,
    last_update_started_at: row.last_update_started_at,
    last_successful_update_at: row.last_successful_update_at,
    ...settings,
  };
}
