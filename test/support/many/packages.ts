import type { Db } from '../../../src/db/schema.ts';
import { type Amounts, at, inBigProject, insert, rowsOf, word } from './rows.ts';

const TYPES = ['npm', 'pypi', 'maven', 'generic', 'nuget'] as const;
const VERSIONS_OF_ONE = 20;
/** Versions of the package of the big project that has most of them. */
const OF_ONE_NAME = 1_000;

/** Packages with a file each: one of two in the big project, the others spread over all. */
export async function packages(db: Db, { packages: amount, projects }: Amounts, project: number): Promise<void> {
  await insert(
    db,
    'packages',
    rowsOf(amount, (n) => {
      const name = n < OF_ONE_NAME ? 'often-published' : `${word(n)}-${Math.floor(n / VERSIONS_OF_ONE)}`;
      const version = n % 50 === 49 ? null : `1.${n}.0`;
      return {
        id: 1 + n,
        project_id: n < OF_ONE_NAME || n % 2 === 0 ? project : project + ((n * 7 + Math.floor(n / 10)) % projects),
        package_type: n < OF_ONE_NAME ? 'npm' : TYPES[n % TYPES.length]!,
        name,
        version,
        name_key: name,
        version_key: version ?? `none ${n}`,
        status: n % 40 === 3 ? 'hidden' : 'default',
        created_at: at(n),
        updated_at: at(n),
      };
    }),
  );
  await insert(
    db,
    'package_files',
    rowsOf(amount, (n) => ({
      package_id: 1 + n,
      file_name: 'file.tgz',
      size: 1_000,
      sha256: n.toString(16).padStart(64, '0'),
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'package_pipelines',
    rowsOf(amount, (n) =>
      inBigProject(n) ? { package_id: 1 + n, package_file_id: null, pipeline_id: 1 + (n % 50) } : null,
    ),
  );
}
