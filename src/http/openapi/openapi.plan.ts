import { type PaidPlan, planWords } from '../../access/access.plan.ts';
import type { SchemaObject } from './schema-object.ts';

/** Adds to a description the plan of the parameter, and its effect on a lower one. */
export function withPlan<T>(description: T, schema: SchemaObject): T | string {
  const { 'x-plan': plan, 'x-plan-keeps': freeElements } = schema as { 'x-plan'?: PaidPlan; 'x-plan-keeps'?: number };
  if (plan === undefined || typeof description !== 'string') return description;
  const lower =
    freeElements === undefined
      ? 'ignored'
      : freeElements === 1
        ? 'only the first element is used'
        : `only ${freeElements} elements are used`;
  return `${description} Plan: ${planWords(plan)}; on a lower plan ${lower}.`;
}
