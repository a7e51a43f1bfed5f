import type { Static } from 'typebox';
import { invalidModel } from '../../../core/errors.ts';
import type { Deps } from '../../../deps.ts';
import type { Repository } from '../../../git/repository.ts';
import { bytesOf, type FileContent, sizeOf } from '../../../git/stored-content.ts';
import { TextDecoding } from '../../../git/text-encoding.ts';
import { decodeContent, type SentContent } from '../commits/content.ts';
import { withFrontMatter } from './front-matter.ts';
import type { createPage } from './inputs.ts';
import type { WikiPage } from './pages.ts';

/** Bytes that the text of a page may have. */
export const mostContent = ({ settings }: Deps): number => settings.now.wiki_page_max_content_bytes;

const inUnits = (bytes: number): string => {
  const [unit, size] = bytes >= 1024 ** 2 ? ['MiB', 1024 ** 2] : bytes >= 1024 ? ['KiB', 1024] : ['B', 1];
  return `${Number((bytes / size).toPrecision(3))} ${unit}`;
};

function refuseSize(bytes: number, most: number): void {
  if (bytes <= most) return;
  throw invalidModel({
    content: [`is too long (${inUnits(bytes)}). The maximum size is ${inUnits(most)}.`],
  });
}

/** @throws ApiError 400 for a text that is too long */
export async function contentOf(sent: SentContent, most: number): Promise<FileContent> {
  const content = await decodeContent(sent, 'text', 'content');
  refuseSize(sizeOf(content), most);
  return content;
}

type Matter = Static<typeof createPage>['front_matter'];

/** A content with the front matter that was given, if any was. */
export async function withMatter(content: FileContent, matter: Matter, most: number): Promise<FileContent> {
  if (matter === undefined) return content;
  const text = await new TextDecoding().text(await bytesOf(content));
  const bytes = Buffer.from(withFrontMatter(text, matter));
  refuseSize(bytes.length, most);
  return bytes;
}

/** The text that a page gets; undefined where it stays as it is. @throws ApiError 400 for one that is too long */
export async function textFor(
  repo: Repository,
  page: WikiPage,
  sent: FileContent | undefined,
  matter: Matter,
  most: number,
): Promise<FileContent | undefined> {
  if (matter === undefined) return sent;
  if (sent !== undefined) return withMatter(sent, matter, most);
  const now = await repo.objects.read(page.blob, most);
  if (!now?.data) throw invalidModel({ content: ['is too long for its front matter to be changed'] });
  return withMatter(now.data, matter, most);
}
