import { type Static, Type } from 'typebox';
import { LINK_TYPES } from '../../../db/tables/release-links.table.ts';
import { Enum } from '../../../http/http.schema.ts';

/** An asset of a release: an address of what it brings. */
export const ReleaseLink = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String({ description: 'Where the asset is.' }),
  direct_asset_url: Type.String({ description: 'Its permanent address, where it has a path; else its address.' }),
  link_type: Enum(LINK_TYPES),
});
export type ReleaseLinkJson = Static<typeof ReleaseLink>;
