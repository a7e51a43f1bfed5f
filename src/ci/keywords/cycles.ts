import { ConfigError } from '../config/config-error.ts';
import type { JobConfig } from '../pipeline-config.ts';
import { list } from './reader.ts';

const refuse = (text: string) => new ConfigError(`The pipeline has circular dependencies: ${text}`);

/**
 * Finds circular needs in the order of the jobs: strongly connected components by Tarjan, without recursion.
 * @throws ConfigError naming the first circle
 */
export function checkCycles(jobs: readonly JobConfig[]): void {
  const needs = new Map(jobs.map((job) => [job.name, job.needs ?? []]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];

  const enter = (name: string) => {
    index.set(name, index.size);
    low.set(name, index.get(name)!);
    stack.push(name);
    onStack.add(name);
    return { name, next: 0 };
  };

  for (const { name: start } of jobs) {
    if (index.has(start)) continue;
    const path = [enter(start)];
    while (path.length > 0) {
      const at = path.at(-1)!;
      const need = needs.get(at.name)?.[at.next++];
      if (need === undefined) {
        path.pop();
        leave(at.name);
        const parent = path.at(-1);
        if (parent !== undefined) low.set(parent.name, Math.min(low.get(parent.name)!, low.get(at.name)!));
      } else if (need.job === at.name) {
        throw refuse(`self-dependency: ${at.name}`);
      } else if (!index.has(need.job)) {
        path.push(enter(need.job));
      } else if (onStack.has(need.job)) {
        low.set(at.name, Math.min(low.get(at.name)!, index.get(need.job)!));
      }
    }
  }

  /** All needs of `name` were followed: the stack above it is its component, unless it belongs to one below. */
  function leave(name: string): void {
    if (low.get(name) !== index.get(name)) return;
    const component = stack.splice(stack.lastIndexOf(name));
    for (const each of component) onStack.delete(each);
    if (component.length > 1) {
      throw refuse(`topological sort failed: [${list(component.map((each) => JSON.stringify(each)))}]`);
    }
  }
}
