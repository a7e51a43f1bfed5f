import { Type } from 'typebox';
import { findNamespace } from '../../../access/lookup.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Access, BaseContext } from '../../../http/http.route.ts';
import { type PackageCondition, readablePackages } from '../../../packages/package-registry.readable.ts';
import { challenge } from '../registries.credentials.ts';

/** Readable packages of the namespace, in the context of handlers. */
export interface ModuleScope {
  readable: PackageCondition;
}

/** For a missing group, which is not distinguished from one without readable packages. */
const NONE: PackageCondition = (eb) => eb.lit(false);

/** No readable module; anonymous callers are challenged, since they may find it when authenticated. */
export const missingModule = (caller: BaseContext['caller']) =>
  caller.credential.kind === 'none' ? challenge() : notFound();

/** Everyone. Callers get the modules of projects in a group or user namespace whose packages they may read. */
export const readsModules: Access<ModuleScope> = {
  description: 'Everyone who may read the packages of the project of the module',
  anonymous: true,
  params: {
    module_namespace: Type.String({
      description: 'Id or path of a group or user whose projects contain the module.',
      examples: ['tools'],
    }),
  },
  check: async ({ deps, caller, params }) => {
    const group = await findNamespace(deps, params.module_namespace!);
    return { readable: group === undefined ? NONE : await readablePackages(deps, caller, { group }) };
  },
};
