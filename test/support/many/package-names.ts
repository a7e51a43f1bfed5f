import type { Db } from '../../../src/db/db.schema.ts';
import { partsOf } from '../../../src/packages/package-registry.names.ts';
import { insert, type Row } from './rows.ts';

/** Enters the names of packages, as publishing them does, in a few statements. */
export async function packageNames(db: Db, packages: readonly Row[]): Promise<void> {
  const names = new Map<string, Row>();
  for (const { project_id = null, package_type = null, name_key = null, name = null } of packages) {
    const key = `${project_id} ${package_type} ${name_key}`;
    if (!names.has(key)) names.set(key, { id: 1 + names.size, project_id, package_type, name_key, name });
  }
  await insert(db, 'package_names', names.values());
  await insert(db, 'package_name_parts', parts(names.values()));
}

function* parts(names: Iterable<Row>): Generator<Row> {
  for (const { id = null, project_id = null, package_type = null, name } of names) {
    for (const part of partsOf(String(name))) yield { name_id: id, project_id, package_type, part };
  }
}
