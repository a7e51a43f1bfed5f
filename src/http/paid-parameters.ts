import type { TObject, TSchema } from 'typebox';
import { effectivePlan, includesPlan, type PaidPlan } from '../access/access.plan.ts';
import type { LicenseDeps } from '../licence/licence.stored.ts';
import { propertiesOf } from './http.schema.ts';

/** A parameter that a lower plan ignores, or whose list is cut on a lower plan. */
interface PaidParameter {
  name: string;
  plan: PaidPlan;
  /** Number of list elements on every plan. */
  freeElements: number;
}

/** Parameters as sent and as declared. */
interface Read {
  source: Record<string, unknown>;
  values: Readonly<Record<string, unknown>>;
}

/** Parameters of an input that belong to a plan (`ofPlan`). */
export function paidParameters(input: TObject | undefined): readonly PaidParameter[] {
  if (input === undefined) return [];
  return Object.entries(propertiesOf(input)).flatMap(([name, schema]) => {
    const { 'x-plan': plan, 'x-plan-keeps': freeElements = 0 } = schema as TSchema & {
      'x-plan'?: PaidPlan;
      'x-plan-keeps'?: number;
    };
    return plan === undefined ? [] : [{ name, plan, freeElements }];
  });
}

/** Removes parameters that the current plan does not have, as if they had not been sent. */
export async function onPlan(deps: LicenseDeps, paid: readonly PaidParameter[], read: Read): Promise<Read> {
  const sent = paid.filter(({ name }) => name in read.source);
  if (sent.length === 0) return read;
  const current = await effectivePlan(deps);
  const source = { ...read.source };
  const values = { ...read.values };
  for (const { name, plan, freeElements } of sent) {
    if (includesPlan(current, plan)) continue;
    const value = values[name];
    if (freeElements > 0) {
      if (Array.isArray(value)) values[name] = value.slice(0, freeElements);
      continue;
    }
    delete source[name];
    delete values[name];
  }
  return { source, values: Object.freeze(values) };
}
