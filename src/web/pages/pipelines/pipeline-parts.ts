import type { PageContext } from '../../core/page.ts';
import { type Html, html } from '../../core/template.ts';

/** A job, as far as its pages show it. */
export interface JobRow {
  id: number;
  name: string;
  stage: string;
  status: string;
  ref: string;
  allow_failure: boolean;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  duration: number | null;
  queued_duration: number | null;
  failure_reason: string | null;
  coverage: number | null;
  user: { username: string; name: string } | null;
  commit: { id: string; short_id: string; title: string } | null;
  pipeline: { id: number };
  runner?: { description: string | null } | null;
  tag_list?: string[];
  /** Of a job that starts another pipeline: null before it has. */
  downstream_pipeline?: { web_url: string } | null;
}

const KINDS: Readonly<Record<string, string>> = {
  ...{ success: 'good', failed: 'bad', canceled: 'bad', canceling: 'warn' },
  ...{ running: 'warn', pending: 'warn', preparing: 'warn', waiting_for_resource: 'warn' },
};

/** The words of a name such as `waiting_for_resource`. */
export const words = (name: string): string => {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** A state of a pipeline or a job. */
export const statusBadge = (status: string): Html =>
  html`<span class="state ${KINDS[status] ?? ''}">${words(status)}</span>`;

/** Seconds, as people read them. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, `${whole % 60} s`].filter(Boolean).join(' ');
}

/** A link to a commit of the project. */
export const commitLink = ({ at }: PageContext, path: string, sha: string): Html =>
  html`<a class="mono" href="${at(path)}">${sha.slice(0, 8)}</a>`;

/** Facts by name; those without a value are left out. */
export const factList = (facts: readonly (readonly [name: string, value: Html | string | null])[]): Html =>
  html`<dl class="facts">${facts.map(([name, value]) => (value === null ? null : html`<dt>${name}</dt><dd>${value}</dd>`))}</dl>`;
