import { Type } from 'typebox';
import type { Package } from '../../../db/tables/packages.table.ts';
import type { Deps } from '../../../deps.ts';
import { type ModuleName, packageName } from './terraform-modules.names.ts';

const Dependencies = Type.Array(Type.Unknown(), { description: 'Always empty: archives are not inspected.' });
const Submodules = Type.Array(Type.Unknown(), { description: 'Always empty: archives are not inspected.' });
const Provider = Type.Object({
  name: Type.String({ description: 'Target system of the module.', examples: ['aws'] }),
  version: Type.String({ description: 'Always empty.', examples: [''] }),
});
const Source = Type.String({
  description: 'URL of the project page.',
  examples: ['https://example.com/tools/network'],
});
const Version = Type.String({ description: 'Semantic version.', examples: ['1.2.0'] });

/** Versions of a module, in the module registry protocol. */
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
              providers: Type.Array(Provider, { description: 'Target system of the module, as the only element.' }),
            },
            { description: 'Root module.' },
          ),
        }),
        { description: 'Versions in order of publication.' },
      ),
      source: Source,
    }),
    { description: 'The requested module, as the only element.' },
  ),
});

/** One version of a module. */
export const TerraformModule = Type.Object({
  name: Type.String({ description: 'Name and target system.', examples: ['network/aws'] }),
  provider: Type.String({ description: 'Target system of the module.', examples: ['aws'] }),
  providers: Type.Array(Type.String(), {
    description: 'Target system of the module, as the only element.',
    examples: [['aws']],
  }),
  root: Type.Object({ dependencies: Dependencies }, { description: 'Root module.' }),
  source: Source,
  submodules: Submodules,
  version: Version,
  versions: Type.Array(Type.String(), { description: 'Latest version, as the only element.', examples: [['1.2.0']] }),
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

/** URL of the project of a package. */
export async function sourceOf({ db, externalUrl }: Deps, { project_id }: Package): Promise<string> {
  const { full_path } = await db
    .selectFrom('projects')
    .select('full_path')
    .where('id', '=', project_id)
    .executeTakeFirstOrThrow();
  return `${externalUrl()}/${full_path}`;
}

export const moduleWords = {
  module_name: ['Name of the module.', 'network'],
  module_system: ['Target system of the module: its provider.', 'aws'],
  module_version: ['Semantic version of the module.', '1.2.0'],
} as const;
