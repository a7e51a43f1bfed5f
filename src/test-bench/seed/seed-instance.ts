import { effectivePlan } from '../../access/access.plan.ts';
import type { BenchClock } from '../clock/bench-clock.ts';
import { storeClock } from '../clock/clock.store.ts';
import type { TestBench } from '../test-bench.ts';
import { type SeedContext, SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';

/** Sets what the rest needs: licence, plan, feature switches. */
export async function applyLicence(context: SeedContext, root: Item): Promise<void> {
  const { api, clock, deps } = context;
  if (root.license !== undefined) {
    await context.at(['license'], async () => {
      const key = String(root.license).trim();
      const known = await deps.db.selectFrom('licenses').select('id').limit(1).executeTakeFirst();
      clock.at();
      if (known === undefined) await api.send('POST', '/license', { license: key });
    });
  }
  await context.at(['plan'], async () => {
    const plan = await effectivePlan(deps);
    context.hasFullPlan = plan === 'ultimate';
    if (root.plan !== undefined && root.plan !== plan)
      throw new SeedMistake(`the server has the plan ${plan}: start it with STITHY_PLAN=${String(root.plan)}`);
  });
  for (const [name, value] of Object.entries((root.features ?? {}) as Item)) {
    await context.at(['features', name], async () => {
      await api.send('POST', `/features/${encodeURIComponent(name)}`, { value: String(value) });
    });
  }
}

/** Sets the application settings: last, as they may refuse what the seed makes. */
export async function applySettingsOfServer(context: SeedContext, root: Item): Promise<void> {
  if (root.settings === undefined) return;
  await context.at(['settings'], async () => {
    const now = await context.api.send('GET', '/application/settings');
    const wanted = Object.entries(root.settings as Item);
    const changed = wanted.filter(([key, value]) => JSON.stringify(now[key]) !== JSON.stringify(value));
    if (changed.length > 0) await context.api.send('PUT', '/application/settings', Object.fromEntries(changed));
  });
}

/** Sets the clock of the test bench as the seed has it. @param clock null if there is none */
export async function applyClock(context: SeedContext, root: Item, clock: BenchClock | null): Promise<void> {
  if (root.clock === undefined) return;
  await context.at(['clock'], async () => {
    if (clock === null) throw new SeedMistake('only a server with a test bench has a clock: start it with --bench');
    const { now, frozen } = root.clock as { now?: string; frozen?: boolean };
    if (now !== undefined) clock.set(new Date(now));
    if (frozen !== undefined) clock.freeze(frozen);
    await storeClock(context.deps.db, clock);
  });
}

/** Orders the faults of the seed, except for those that are ordered already. @param bench null if there is none */
export async function applyFaults(context: SeedContext, root: Item, bench: TestBench | null): Promise<void> {
  await context.each(root.faults, async (fault) => {
    if (bench === null) throw new SeedMistake('only a server with a test bench has faults: start it with --bench');
    const { match = {}, act } = fault;
    const wanted = JSON.stringify({ match, act });
    if (bench.faults.list().some((rule) => JSON.stringify({ match: rule.match, act: rule.act }) === wanted)) return;
    bench.faults.add({ match, act });
    context.count('faults');
  });
}
