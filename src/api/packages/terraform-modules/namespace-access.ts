import { Type } from 'typebox';
import { findNamespace } from '../../../access/lookup.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { Access, BaseContext } from '../../../http/http.route.ts';
import { type PackageCondition, readablePackages } from '../../../packages/package-registry.readable.ts';
import { challenge } from '../registries.credentials.ts';

/** What handlers find: which packages of the namespace the caller may read. */
export interface ModuleScope {
  readable: PackageCondition;
}

/** Of a group that is not there, so that one that is there is not told from it. */
const NONE: PackageCondition = (eb) => eb.lit(false);

/** There is none that the caller may read; whoever did not say who they are may find it when they do. */
export const missingModule = (caller: BaseContext['caller']) =>
  caller.credential.kind === 'none' ? challenge() : notFound();

/** Anyone: of the modules in the projects of a group or user, callers get those of projects whose packages they may read. */
export const readsModules: Access<ModuleScope> = {
  description: 'Whoever may read the packages of the project that the module is in',
  anonymous: true,
  params: {
    module_namespace: Type.String({
      description: 'Id or path of a group or user whose projects have the module.',
      examples: ['tools'],
    }),
  },
  check: async ({ deps, caller, params }) => {
    const group = await findNamespace(deps, params.module_namespace!);
    return { readable: group === undefined ? NONE : await readablePackages(deps, caller, { group }) };
  },
};
