import { Type } from 'typebox';
import { notFound } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { Enum } from '../../../http/http.schema.ts';
import { administrator, anyone, onServer } from '../../api.access.ts';
import { sendPicture } from '../../identity/index.ts';
import { changedAppearance } from './appearance.inputs.ts';
import { Appearance, PICTURES, type PictureName } from './appearance.responses.ts';
import { changeAppearance, loadAppearance, type StoredAppearance } from './appearance.writes.ts';

const nameOf = (stored: string): string => stored.slice(stored.indexOf('/') + 1);

const addressOf = (stored: StoredAppearance, picture: PictureName): string | null => {
  const value = stored[picture];
  return value === undefined ? null : `/uploads/-/system/appearance/${picture}/1/${encodeURIComponent(nameOf(value))}`;
};

const present = (stored: StoredAppearance) => ({
  ...stored,
  logo: addressOf(stored, 'logo'),
  header_logo: addressOf(stored, 'header_logo'),
  pwa_icon: addressOf(stored, 'pwa_icon'),
  favicon: addressOf(stored, 'favicon'),
});

/** Appearance of the server. */
export const appearanceRoutes = [
  route({
    method: 'GET',
    path: '/application/appearance',
    summary: 'Get the appearance of the server',
    access: administrator,
    success: { status: 200, schema: Appearance },
    handler: async ({ deps }) => present(await loadAppearance(deps.db)),
  }),
  route({
    method: 'PUT',
    path: '/application/appearance',
    summary: 'Change the appearance of the server',
    description: 'Attributes that are not given stay as they are.',
    access: onServer('admin_settings'),
    bodyLimit: 'file',
    input: changedAppearance,
    success: { status: 200, schema: Appearance },
    handler: async ({ deps, input }) => present(await changeAppearance(deps, input)),
  }),
  route({
    method: 'GET',
    root: true,
    path: '/uploads/-/system/appearance/:picture/1/:file',
    summary: 'Get an image of the appearance of the server',
    access: anyone,
    params: Type.Object({
      picture: Enum(PICTURES),
      file: Type.String({ description: 'File name of the image.' }),
    }),
    success: { status: 200, contentType: 'image/*' },
    errors: [404],
    handler: async (c) => {
      const value = (await loadAppearance(c.deps.db))[c.params.picture];
      if (value === undefined) throw notFound();
      return sendPicture(c, value, c.params.file);
    },
  }),
];
