import { escapeHtml, paragraphs } from '../../../core/html.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import { projectUrl } from '../../code/index.ts';
import { releaseUrl } from './releases.addresses.ts';

/** Characters that XML cannot represent. */
const UNWRITABLE = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const xml = (text: string): string => escapeHtml(text.toWellFormed().replace(UNWRITABLE, ''));

/** Renders releases as an Atom feed (RFC 4287). @param rows newest first */
export function releaseFeed(deps: Deps, project: Project, rows: readonly Release[]): string {
  const page = `${projectUrl(deps, project)}/-/releases`;
  const last = [project.created_at, ...rows.map(({ updated_at }) => updated_at)].toSorted().at(-1);
  const entries = rows.map((row) => {
    const url = xml(releaseUrl(deps, project, row.tag));
    return [
      '  <entry>',
      `    <id>${url}</id>`,
      `    <title>${xml(row.name ?? row.tag)}</title>`,
      `    <link href="${url}"/>`,
      `    <published>${row.released_at}</published>`,
      `    <updated>${row.updated_at}</updated>`,
      `    <content type="html">${xml(paragraphs(row.description ?? ''))}</content>`,
      '  </entry>',
    ].join('\n');
  });
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <title>${xml(project.name)} releases</title>`,
    `  <author><name>${xml(project.name)}</name></author>`,
    `  <id>${xml(page)}</id>`,
    `  <link href="${xml(page)}" rel="alternate"/>`,
    `  <link href="${xml(`${page}.atom`)}" rel="self" type="application/atom+xml"/>`,
    `  <updated>${last}</updated>`,
    ...entries,
    '</feed>',
  ].join('\n')}\n`;
}
