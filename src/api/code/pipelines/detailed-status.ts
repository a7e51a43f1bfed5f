import type { Static } from 'typebox';
import type { State } from '../../../ci/states.ts';
import type { DetailedStatus } from './commit-pipelines.responses.ts';

/** Icon, text, label and group of a status. */
type Look = readonly [icon: string, text: string, label: string, group: string];

const plain = (state: State): Look => [
  `status_${state}`,
  `${state.charAt(0).toUpperCase()}${state.slice(1)}`,
  state,
  state,
];

const LOOKS: Readonly<Record<State, Look>> = {
  created: plain('created'),
  preparing: plain('preparing'),
  pending: plain('pending'),
  running: plain('running'),
  skipped: plain('skipped'),
  failed: plain('failed'),
  canceled: plain('canceled'),
  canceling: ['status_canceled', 'Canceling', 'canceling', 'canceling'],
  waiting_for_resource: ['status_pending', 'Waiting', 'waiting for resource', 'waiting-for-resource'],
  waiting_for_callback: ['status_pending', 'Waiting', 'waiting for callback', 'waiting-for-callback'],
  success: ['status_success', 'Passed', 'passed', 'success'],
  manual: ['status_manual', 'Blocked', 'waiting for manual action', 'manual'],
  scheduled: ['status_scheduled', 'Delayed', 'waiting for delayed job', 'scheduled'],
};
const WARNED: Look = ['status_warning', 'Warning', 'passed with warnings', 'success-with-warnings'];

/**
 * Presentation of the status of a pipeline.
 * @param warned whether a job failed that is allowed to fail
 * @param path URL path of the pipeline
 */
export function detailedStatus(status: State, warned: boolean, path: string): Static<typeof DetailedStatus> {
  const [icon, text, label, group] = warned && status === 'success' ? WARNED : LOOKS[status];
  return {
    icon,
    text,
    label,
    group,
    tooltip: label,
    has_details: true,
    details_path: path,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${status}.png`,
  };
}
