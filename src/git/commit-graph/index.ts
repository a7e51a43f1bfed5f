/** git's commit-graph, our indexes of paths and line counts beside it, and queries of the history that they answer. */

export { CommitGraph } from './commit-graph.ts';
export { addBeforeRefs, isWritingGraphs, writeWholeGraph } from './commit-graph.write.ts';
export { leaveGraphs } from './graphs-left.ts';
export { Commits, TooManyOuterCommits } from './history.commits.ts';
export { History } from './history.ts';
export { graphStateOf, lastChangeInGraph, parentInGraph, stateInGraph, treeInGraph } from './in-graph.ts';
export { lastKnown } from './last-change.ts';
export { type KnownState, PathChanges } from './path-changes.ts';
export { PathFilter } from './path-filter.ts';
export { TimeSlice } from './time-slice.ts';
