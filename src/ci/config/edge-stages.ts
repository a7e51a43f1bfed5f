import type { TreeMap } from './loaded.ts';

/** Stages that every pipeline has. */
const FIRST = '.pre';
const LAST = '.post';

/** Puts `.pre` before and `.post` behind the stages that are listed, wherever they were. */
export function addEdgeStages(config: TreeMap): TreeMap {
  const { stages } = config;
  if (!Array.isArray(stages) || stages.length === 0) return config;
  const others = stages.filter((stage) => stage !== FIRST && stage !== LAST);
  const whole: TreeMap = Object.assign(Object.create(null), config);
  whole.stages = [FIRST, ...others, LAST];
  return whole;
}
