import { openStored } from '../core/stored-secret.ts';
import { bareAddress } from '../core/url-credentials.ts';
import type { Db } from '../db/db.schema.ts';
import type { RemoteMirror } from '../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../deps.ts';
import { changesOf, type WatchedAttributes } from './changes.audit.ts';
import { type AuditEntry, project, recordAudit } from './record.audit.ts';

const updated = 'remote_mirror_updated';
/** A push mirror with its URL in plain text. */
type Opened = Omit<RemoteMirror, 'url'> & { url: string };
const WATCHED: WatchedAttributes<Opened> = {
  url: { name: updated, as: 'url', address: true },
  auth_method: { name: updated, as: 'authentication method' },
  enabled: { name: updated, as: 'enabled', flag: true },
  only_protected_branches: { name: updated, as: 'only protected branches', flag: true },
  keep_divergent_refs: { name: updated, as: 'keep divergent refs', flag: true },
  mirror_branch_regex: { name: updated, as: 'mirror branch regex' },
};

const opened = ({ secrets }: Pick<Deps, 'secrets'>, row: RemoteMirror): Opened => ({
  ...row,
  url: openStored(secrets, row.url, 'remote_mirrors.url') ?? '',
});

/** The audit entry of a push mirror: the URL is recorded without user, password and query. */
const entryOf = ({ id, project_id, url }: Opened, entry: Pick<AuditEntry, 'name' | 'message' | 'more'>) => ({
  ...entry,
  entity: project(project_id),
  target: { id, type: 'RemoteMirror', details: bareAddress(url) },
});

/** Records, in the transaction, that a push mirror was added or removed. */
export function recordRemoteMirror(
  deps: Pick<Deps, 'clock' | 'secrets'>,
  db: Db,
  happened: 'created' | 'deleted',
  row: RemoteMirror,
): Promise<void> {
  const message = happened === 'created' ? 'Added push mirror' : 'Removed push mirror';
  const more = { enabled: row.enabled === 1, auth_method: row.auth_method };
  return recordAudit(deps, db, entryOf(opened(deps, row), { name: `remote_mirror_${happened}`, message, more }));
}

/** Records changes of a push mirror, in the transaction. */
export const recordRemoteMirrorChanges = (
  deps: Pick<Deps, 'clock' | 'secrets'>,
  db: Db,
  before: RemoteMirror,
  after: RemoteMirror,
): Promise<void> =>
  recordAudit(
    deps,
    db,
    changesOf(opened(deps, before), opened(deps, after), WATCHED).map((entry) => entryOf(opened(deps, after), entry)),
  );
