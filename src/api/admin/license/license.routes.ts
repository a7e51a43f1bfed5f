import { Type } from 'typebox';
import { today } from '../../../core/clock.ts';
import { notFound, recordNotFound, refused } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { Nullable, pagination, Secret } from '../../../http/http.schema.ts';
import { addLicense, removeLicense } from '../../../licence/add.ts';
import { InvalidLicenseKey } from '../../../licence/licence.key.ts';
import { licenseOf, trustedLicenses } from '../../../licence/licence.stored.ts';
import { administrator, onServer } from '../../api.access.ts';
import { refreshCount } from './license.background.ts';
import { License, LicenseBasic } from './license.responses.ts';
import { presentLicense, presentLicenses } from './license.views.ts';
import { usageExport } from './usage-export.ts';

const byId = Type.Object({ id: Type.Integer() });

/** Licenses of the server (part 2, section 4.14). */
export const licenseRoutes = [
  route({
    method: 'GET',
    path: '/license',
    operationId: 'getCurrentLicense',
    summary: 'Get the license of the server',
    description: 'The last added license that is in force, else an expired one; null if there is none.',
    access: administrator,
    success: { status: 200, schema: Nullable(License) },
    handler: async ({ deps }) => {
      const license = licenseOf(await trustedLicenses(deps), today(deps.clock));
      return license === undefined ? null : presentLicense(deps, license);
    },
  }),
  route({
    method: 'GET',
    path: '/licenses',
    summary: 'List the licenses of the server',
    description: 'Includes expired and future licenses, and those whose issuer is no longer trusted.',
    access: administrator,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(LicenseBasic) },
    handler: (c) => {
      const query = c.deps.db.selectFrom('licenses').selectAll().where('id', '>', 0).orderBy('id');
      return c.page(query, async (rows) => {
        const shown = await presentLicenses(c.deps, rows);
        return shown.map(({ active_users: _, ...license }) => license);
      });
    },
  }),
  route({
    method: 'GET',
    path: '/license/usage_export.csv',
    operationId: 'exportLicenseUsage',
    summary: 'Download the daily number of billable users as CSV',
    description: 'Without a license, the file covers the last year.',
    access: administrator,
    success: { status: 200, contentType: 'text/csv' },
    handler: async ({ deps, reply }) => {
      reply.header('Content-Disposition', 'attachment; filename="license_usage.csv"');
      reply.type('text/csv; charset=utf-8');
      return usageExport(deps);
    },
  }),
  route({
    method: 'GET',
    path: '/license/:id',
    summary: 'Get a license',
    access: administrator,
    params: byId,
    success: { status: 200, schema: License },
    errors: [404],
    handler: async ({ deps, params }) => {
      const row = await deps.db.selectFrom('licenses').selectAll().where('id', '=', params.id).executeTakeFirst();
      if (row === undefined) throw notFound();
      return presentLicense(deps, row);
    },
  }),
  route({
    method: 'POST',
    path: '/license',
    operationId: 'addLicense',
    summary: 'Add a license to the server',
    description:
      'Its plan is in force from its first day. Keys are refused if the issuer named by `STITHY_LICENSE_ISSUER` has not ' +
      'signed them, if they have expired, or if the server has over 10 % more users than they allow.',
    access: onServer('admin_license'),
    input: Type.Object({ license: Secret() }),
    success: { status: 201, schema: License },
    handler: async ({ deps, input }) => {
      try {
        const license = await addLicense(deps, input.license);
        await deps.settings.changed();
        return await presentLicense(deps, license);
      } catch (error) {
        throw error instanceof InvalidLicenseKey ? refused(error.message) : error;
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/license/:id',
    summary: 'Remove a license',
    access: onServer('admin_license'),
    params: byId,
    success: { status: 204, empty: true },
    errors: [404],
    handler: async ({ deps, params }) => {
      if (!(await removeLicense(deps, params.id))) throw recordNotFound();
      await deps.settings.changed();
    },
  }),
  route({
    method: 'PUT',
    path: '/license/:id/refresh_billable_users',
    operationId: 'refreshLicenseBillableUsers',
    summary: 'Recount the billable users of a license',
    access: onServer('admin_license'),
    params: byId,
    success: { status: 202, schema: Type.Object({ success: Type.Boolean() }) },
    errors: [404],
    handler: async ({ deps, params }) => {
      if (!(await refreshCount(deps, params.id))) throw recordNotFound();
      return { success: true };
    },
  }),
];
