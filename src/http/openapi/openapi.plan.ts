import { type PaidPlan, planWords } from '../../access/access.plan.ts';
import type { SchemaObject } from './schema-object.ts';

/** A description with the plan that the parameter belongs to, and what becomes of it on a lower one. */
export function withPlan<T>(description: T, schema: SchemaObject): T | string {
  const { 'x-plan': plan, 'x-plan-keeps': kept } = schema as { 'x-plan'?: PaidPlan; 'x-plan-keeps'?: number };
  if (plan === undefined || typeof description !== 'string') return description;
  const lower = kept === undefined ? 'ignored' : kept === 1 ? 'only the first counts' : `only ${kept} count`;
  return `${description} Plan: ${planWords(plan)}; on a lower one ${lower}.`;
}
