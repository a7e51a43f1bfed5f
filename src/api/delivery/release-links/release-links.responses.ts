import { type Static, Type } from 'typebox';
import { LINK_TYPES } from '../../../db/tables/release-links.table.ts';
import { Enum } from '../../../http/http.schema.ts';

/** A link of a release to an asset. */
export const ReleaseLink = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String({ description: 'URL of the asset.' }),
  direct_asset_url: Type.String({ description: 'Permanent URL if the link has a path; its URL otherwise.' }),
  link_type: Enum(LINK_TYPES),
});
export type ReleaseLinkJson = Static<typeof ReleaseLink>;
