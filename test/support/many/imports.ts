import type { Db } from '../../../src/db/db.schema.ts';
import { IMPORT_STATUS } from '../../../src/db/tables/bulk-imports.table.ts';
import { SOURCE_USER_STATUS } from '../../../src/db/tables/import-source-users.table.ts';
import { at, insert, rowsOf, USERS } from './rows.ts';

const IMPORTS = 200;
const STATUSES = Object.values(IMPORT_STATUS);
const WAITING = Object.values(SOURCE_USER_STATUS);

/** Imports from other servers with their groups, what of these could not be taken over, and people who wait in the group. */
export async function imports(db: Db, amount: number, group: number): Promise<void> {
  await insert(
    db,
    'bulk_imports',
    rowsOf(IMPORTS, (n) => ({
      id: n + 1,
      user_id: 1_000 + (n % USERS),
      source_url: n % 4 === 0 ? '' : 'https://git.example',
      token: null,
      status: STATUSES[n % STATUSES.length]!,
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'bulk_import_entities',
    rowsOf(amount, (n) => ({
      id: n + 1,
      bulk_import_id: 1 + (n % IMPORTS),
      parent_id: null,
      entity_type: 'group',
      source_full_path: `group-${n}`,
      destination_name: 'x',
      destination_slug: `group-${n}`,
      destination_namespace: '',
      namespace_id: null,
      project_id: null,
      status: STATUSES[n % STATUSES.length]!,
      disk_path: `@imports/${n}`,
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'bulk_import_failures',
    rowsOf(amount, (n) => ({
      entity_id: 31 + (n % 5) * IMPORTS,
      relation: 'issues',
      exception_class: 'Unfit',
      exception_message: 'iid is missing',
      source_title: null,
      created_at: at(n),
    })),
  );
  await insert(
    db,
    'import_source_users',
    rowsOf(amount, (n) => ({
      namespace_id: group,
      source_hostname: 'git.example',
      import_type: 'gitlab_migration',
      source_user_identifier: String(n),
      source_username: `ann-${n}`,
      source_name: 'Ann',
      placeholder_user_id: null,
      reassign_to_user_id: null,
      reassigned_by_user_id: null,
      status: WAITING[n % WAITING.length]!,
      reassignment_token: null,
      reassignment_error: null,
      created_at: at(n),
      updated_at: at(n),
    })),
  );
}
