import type { ReleaseLink } from '../../../db/tables/release-links.table.ts';
import type { ReleaseLinkJson } from './release-links.responses.ts';

/**
 * Renders a link.
 * @param releaseUrl URL of its release
 */
export const presentLink = (
  { id, name, url, filepath, link_type }: ReleaseLink,
  releaseUrl: string,
): ReleaseLinkJson => ({
  id,
  name,
  url,
  direct_asset_url: filepath === null ? url : `${releaseUrl}/downloads${filepath}`,
  link_type,
});
