import type { TreeMap } from './loaded.ts';

/** Stages of every pipeline. */
const FIRST = '.pre';
const LAST = '.post';

/** Moves `.pre` to the beginning and `.post` to the end of the stages. */
export function addEdgeStages(config: TreeMap): TreeMap {
  const { stages } = config;
  if (!Array.isArray(stages) || stages.length === 0) return config;
  const others = stages.filter((stage) => stage !== FIRST && stage !== LAST);
  const whole: TreeMap = Object.assign(Object.create(null), config);
  whole.stages = [FIRST, ...others, LAST];
  return whole;
}
