import { refused } from '../../../core/core.errors.ts';

/** States that external systems can report. */
export const REPORTED_STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type ReportedState = (typeof REPORTED_STATES)[number];
export type State = ReportedState | 'created';

/** States that can still change. A finished status stays as it is; a new status replaces it. */
export const OPEN_STATES: readonly State[] = ['pending', 'running'];
export const FINAL_STATES: readonly State[] = ['success', 'failed', 'canceled'];

/** The transition to each state, and the states it can start from. */
const MOVES: Record<ReportedState, { name: string; from: readonly State[] }> = {
  pending: { name: 'enqueue', from: ['created'] },
  running: { name: 'run', from: ['created', 'pending'] },
  success: { name: 'success', from: ['created', 'pending', 'running'] },
  failed: { name: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { name: 'cancel', from: ['created', 'pending', 'running'] },
  skipped: { name: 'skip', from: ['created', 'pending'] },
};

/** @throws ApiError 400 in the platform's words if the transition is not allowed */
export function checkMove(from: State, to: ReportedState): void {
  const { name, from: allowed } = MOVES[to];
  if (allowed.includes(from)) return;
  throw refused(
    `Cannot transition status via :${name} from :${from} (Reason(s): Status cannot transition via "${name}")`,
  );
}
