import { type Static, Type } from 'typebox';
import { LINK_TYPES } from '../../../db/tables/release-links.table.ts';
import { Enum, Nullable, optional, pagination } from '../../../http/http.schema.ts';

const name = Type.String({ description: 'Name of the link; unique within the release.' });
const url = Type.String({ description: 'URL of the link: http, https or ftp; unique within the release.' });
const path = Type.String({
  description: 'Path of the permanent URL, with a leading slash; unique within the release.',
  examples: ['/bin/app-linux'],
});
const others = {
  direct_asset_path: Type.Optional(Nullable(path)),
  filepath: Type.Optional(
    Nullable(Type.String({ description: 'Deprecated: use `direct_asset_path`.', examples: ['/bin/app-linux'] })),
  ),
  link_type: Type.Optional(Enum(LINK_TYPES, { default: 'other', description: 'Type of the link.' })),
};

export const newLink = Type.Object({ name, url, ...others });
export type NewLink = Static<typeof newLink>;

export const changedLink = optional({ name, url, ...others });
export type ChangedLink = Static<typeof changedLink>;

export const listLinks = Type.Object(pagination);
export const LinkId = Type.Object({ link_id: Type.Integer() });
