import { Type } from 'typebox';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Deps } from '../../../deps.ts';
import { type ModuleName, packageName } from './terraform-modules.names.ts';

const Dependencies = Type.Array(Type.Unknown(), { description: 'Always empty: archives are not looked into.' });
const Submodules = Type.Array(Type.Unknown(), { description: 'Always empty: archives are not looked into.' });
const Provider = Type.Object({
  name: Type.String({ description: 'The system of the module.', examples: ['aws'] }),
  version: Type.String({ description: 'Always empty.', examples: [''] }),
});
const Source = Type.String({ description: 'Page of the project.', examples: ['https://example.com/tools/network'] });
const Version = Type.String({ description: 'By the rules of semver.org.', examples: ['1.2.0'] });

/** The versions of a module, as the registry protocol of modules has them. */
export const ModuleVersions = Type.Object({
  modules: Type.Array(
    Type.Object({
      versions: Type.Array(
        Type.Object({
          version: Version,
          submodules: Submodules,
          root: Type.Object(
            {
              dependencies: Dependencies,
              providers: Type.Array(Provider, { description: 'The system of the module, alone.' }),
            },
            { description: 'What the root of the module needs.' },
          ),
        }),
        { description: 'Its versions, in the order in which they were published.' },
      ),
      source: Source,
    }),
    { description: 'The module that was asked for, alone.' },
  ),
});

/** One version of a module. */
export const TerraformModule = Type.Object({
  name: Type.String({ description: 'Name and system.', examples: ['network/aws'] }),
  provider: Type.String({ description: 'The system of the module.', examples: ['aws'] }),
  providers: Type.Array(Type.String(), { description: 'The same, alone.', examples: [['aws']] }),
  root: Type.Object({ dependencies: Dependencies }, { description: 'What the root of the module needs.' }),
  source: Source,
  submodules: Submodules,
  version: Version,
  versions: Type.Array(Type.String(), { description: 'The same, alone.', examples: [['1.2.0']] }),
});

/** @param rows at least one */
export function presentVersions(source: string, { module_system }: ModuleName, rows: readonly Package[]) {
  const root = { dependencies: [], providers: [{ name: module_system, version: '' }] };
  return { modules: [{ versions: rows.map(({ version }) => ({ version: version!, submodules: [], root })), source }] };
}

export const presentModule = (source: string, name: ModuleName, { version }: Package) => ({
  name: packageName(name),
  provider: name.module_system,
  providers: [name.module_system],
  root: { dependencies: [] },
  source,
  submodules: [],
  version: version!,
  versions: [version!],
});

/** The page of the project that a package is in. */
export async function sourceOf({ db, externalUrl }: Deps, { project_id }: Package): Promise<string> {
  const { full_path } = await db
    .selectFrom('projects')
    .select('full_path')
    .where('id', '=', project_id)
    .executeTakeFirstOrThrow();
  return `${externalUrl()}/${full_path}`;
}
