import type { TSchema } from 'typebox';
import type { Access } from '../../../http/http.route.ts';
import type { HookOwner } from '../../../webhooks/webhooks.find.ts';
import { type ManagedPlace, managesIn, managesServer, type PlaceOwner } from '../managed-places.ts';
import type { HookKind } from '../payloads/types.ts';
import { GroupHook, ProjectHook, SystemHook } from './hooks.responses.ts';

/** Where webhooks are: what their routes differ in. */
export interface HookPlace<O extends HookOwner = HookOwner> {
  kind: HookKind;
  path: string;
  /** A webhook and all of them, in summaries. */
  noun: string;
  nouns: string;
  access: Access<ManagedPlace<O>>;
  schema: TSchema;
  plan: { plan?: 'premium' };
}

const ABILITIES = { project: 'admin_web_hook', group: 'admin_group_web_hook' } as const;

const placeOf = (kind: PlaceOwner['kind'], schema: TSchema, plan: HookPlace['plan']): HookPlace<PlaceOwner> => ({
  kind,
  path: `/${kind}s/:id/hooks`,
  noun: `webhook of a ${kind}`,
  nouns: `the webhooks of a ${kind}`,
  access: managesIn(kind, ABILITIES),
  schema,
  plan,
});

export const IN_PROJECTS = placeOf('project', ProjectHook, {});
export const IN_GROUPS = placeOf('group', GroupHook, { plan: 'premium' });
export const ON_SERVER: HookPlace = {
  kind: 'system',
  path: '/hooks',
  noun: 'system hook',
  nouns: 'system hooks',
  access: managesServer('admin_system_hooks'),
  schema: SystemHook,
  plan: {},
};
