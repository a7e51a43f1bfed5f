import type { Static } from 'typebox';
import { invalidModel } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { TextDecoding } from '../../../git/common/index.ts';
import { contentBytes, type FileContent, sizeOf } from '../../../git/files/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { decodeContent, type SentContent } from '../commits/commits.content.ts';
import { withFrontMatter } from './front-matter.ts';
import type { createPage } from './wikis.inputs.ts';
import type { WikiPage } from './wikis.pages.ts';

/** Maximum size of the content of a page in bytes. */
export const maxContentBytes = ({ settings }: Deps): number => settings.now.wiki_page_max_content_bytes;

const inUnits = (bytes: number): string => {
  const [unit, size] = bytes >= 1024 ** 2 ? ['MiB', 1024 ** 2] : bytes >= 1024 ? ['KiB', 1024] : ['B', 1];
  return `${Number((bytes / size).toPrecision(3))} ${unit}`;
};

function refuseSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw invalidModel({
    content: [`is too long (${inUnits(bytes)}). The maximum size is ${inUnits(maxBytes)}.`],
  });
}

/** @throws ApiError 400 if the content is too long */
export async function contentOf(sent: SentContent, maxBytes: number): Promise<FileContent> {
  const content = await decodeContent(sent, 'text', 'content');
  refuseSize(sizeOf(content), maxBytes);
  return content;
}

type Matter = Static<typeof createPage>['front_matter'];

/** Adds the given front matter, if any, to content. */
export async function withMatter(content: FileContent, matter: Matter, maxBytes: number): Promise<FileContent> {
  if (matter === undefined) return content;
  const text = await new TextDecoding().text(await contentBytes(content));
  const bytes = Buffer.from(withFrontMatter(text, matter));
  refuseSize(bytes.length, maxBytes);
  return bytes;
}

/** Returns the new content of a page; undefined if it stays unchanged. @throws ApiError 400 if it is too long */
export async function textFor(
  repo: Repository,
  page: WikiPage,
  sent: FileContent | undefined,
  matter: Matter,
  maxBytes: number,
): Promise<FileContent | undefined> {
  if (matter === undefined) return sent;
  if (sent !== undefined) return withMatter(sent, matter, maxBytes);
  const now = await repo.objects.read(page.blob, maxBytes);
  if (!now?.data) throw invalidModel({ content: ['is too long to change its front matter'] });
  return withMatter(now.data, matter, maxBytes);
}
