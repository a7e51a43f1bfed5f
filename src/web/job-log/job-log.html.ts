import { escapeHtml } from '../../core/html.ts';
import type { Layer } from './job-log.line.ts';
import { classesOf } from './job-log.style.ts';

const LINK = /https?:\/\/[^\s<>"'`]+/g;
/** What ends a sentence rather than an address. */
const AFTER_LINK = /[.,;:!?)\]}]+$/;

/** A line, or the header of a section. */
export interface LineOfLog {
  number: number;
  layers: readonly Layer[];
  /** When it was written: what the runner says; null if it does not. */
  time: string | null;
  /** Whether it was written to the standard error. */
  isError: boolean;
}

function linked(text: string): string {
  if (!text.includes('://')) return escapeHtml(text);
  let html = '';
  let from = 0;
  for (const { 0: match, index } of text.matchAll(LINK)) {
    const url = match.replace(AFTER_LINK, '');
    const href = escapeHtml(url);
    html += `${escapeHtml(text.slice(from, index))}<a href="${href}" rel="nofollow noopener">${href}</a>`;
    from = index + url.length;
  }
  return html + escapeHtml(text.slice(from));
}

function htmlOfLayers(layers: readonly Layer[], inner: (text: string) => string): string {
  let html = '';
  for (const [, text, style] of layers) {
    const classes = classesOf(style);
    const part = inner((text ?? '').toWellFormed());
    html += classes === '' ? part : `<span class="${classes}">${part}</span>`;
  }
  return html;
}

const numberHtml = (number: number): string => `<a class="log-number" href="#L${number}">${number}</a>`;

function contentOf({ layers, time }: LineOfLog, inner: (text: string) => string): string {
  const clock = time === null ? '' : `<time class="log-time" datetime="${time}">${time.slice(11, 19)}</time>`;
  return `${clock}<span class="log-text">${htmlOfLayers(layers, inner)}</span>`;
}

export const lineHtml = (line: LineOfLog): string =>
  `<div class="log-line${line.isError ? ' log-error' : ''}" id="L${line.number}">${numberHtml(line.number)}${contentOf(line, linked)}</div>\n`;

/** The begin of a section with its header, which opens and closes it: no link can be in there. */
export const sectionHtml = (line: LineOfLog, isOpen: boolean): string =>
  `<div class="log-section" id="L${line.number}">${numberHtml(line.number)}<details${isOpen ? ' open' : ''}><summary class="log-line">${contentOf(line, escapeHtml)}</summary>\n`;

/** The begin of a section whose header is elsewhere. */
export const continuedSectionHtml = (name: string): string =>
  `<div class="log-section"><details open><summary class="log-line"><span class="log-text">${escapeHtml(name)}</span></summary>\n`;

/** The end of a section. @param seconds it took; null if that is not shown */
export function sectionEndHtml(seconds: number | null): string {
  const time = seconds === null ? '' : `<span class="log-duration">${durationOf(seconds)}</span>`;
  return `</details>${time}</div>\n`;
}

const two = (value: number) => String(value).padStart(2, '0');

function durationOf(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:` : ''}${two(minutes)}:${two(seconds % 60)}`;
}
