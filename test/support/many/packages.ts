import type { Db } from '../../../src/db/db.schema.ts';
import { packageNames } from './package-names.ts';
import { MANY } from './people.ts';
import { type Amounts, at, inBigProject, insert, type Row, rowsOf, word } from './rows.ts';

const TYPES = ['npm', 'pypi', 'maven', 'generic', 'nuget', 'conan'] as const;
const VERSIONS_OF_ONE = 20;
/** Versions of the package of the big project that has most of them, however many packages there are. */
const OF_ONE_NAME = 1_000;
/** Names that begin with `rarely`: a page of those of NuGet with their versions, and one of recipes of Conan. */
const RARE = 20;
const RARE_VERSIONS = RARE * VERSIONS_OF_ONE;
const BESIDE = OF_ONE_NAME + RARE_VERSIONS + RARE;

/**
 * Packages with a file each, in the big project and in one of all in turn, twenty versions of a name; beside them in the
 * big project, and published last, a name with many versions and names that few have.
 */
export async function packages(db: Db, { packages: amount, projects }: Amounts, project: number): Promise<void> {
  const rows = [...rowsOf(amount + BESIDE, (n) => packageRow(n, amount, projects, project))];
  await insert(db, 'packages', rows);
  await packageNames(db, rows);
  await insert(
    db,
    'package_files',
    rowsOf(rows.length, (n) => ({
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
    rowsOf(rows.length, (n) =>
      inBigProject(n) ? { package_id: 1 + n, package_file_id: null, pipeline_id: 1 + (n % 50) } : null,
    ),
  );
}

/** As the big project has them, so that they are found on the level of the server, too. */
const recipeOf = (name: string, version: string | null) =>
  `${name}/${version ?? '0'}@${MANY.project.replace('/', '+')}/stable`;

function packageRow(n: number, amount: number, projects: number, bigProject: number): Row {
  const row = (name: string, type: string, version: string | null, published: number, project = bigProject): Row => ({
    id: 1 + n,
    project_id: project,
    package_type: type,
    name: type === 'conan' ? recipeOf(name, version) : name,
    version,
    name_key: type === 'conan' ? recipeOf(name, version) : name,
    version_key: version ?? 'none',
    status: published < amount && n % VERSIONS_OF_ONE === 3 ? 'hidden' : 'default',
    created_at: at(published),
    updated_at: at(published),
  });
  if (n < OF_ONE_NAME) return row('often-published', 'npm', `1.${n}.0`, amount + n);
  if (n < BESIDE) {
    const rare = n - OF_ONE_NAME;
    const type = rare < RARE_VERSIONS ? 'nuget' : 'conan';
    return row(`rarely-${rare % RARE}`, type, `1.${Math.floor(rare / RARE)}.0`, amount + n);
  }
  const published = n - BESIDE;
  const which = Math.floor(published / VERSIONS_OF_ONE);
  const nth = published % VERSIONS_OF_ONE;
  const version = nth === VERSIONS_OF_ONE - 1 ? null : `1.${nth}.0`;
  const place = which % 2 === 0 ? bigProject : bigProject + ((which * 7 + Math.floor(which / 10)) % projects);
  return row(`${word(which)}-${which}`, TYPES[Math.floor(which / 2) % TYPES.length]!, version, published, place);
}
