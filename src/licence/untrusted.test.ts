import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTestApp } from '../../test/support/app.ts';
import { enterLicense, makeIssuer } from '../../test/support/licences.ts';
import { warnOfUntrusted } from './untrusted.ts';

test('a start says when licenses count for nothing, and only then', async () => {
  const issuer = makeIssuer();
  const app = await buildTestApp({ settings: { STITHY_LICENSE_ISSUER: issuer.publicKey } });
  const warnings = async () => {
    const before = app.logLines.join('').length;
    await warnOfUntrusted(app.deps);
    return app.logLines.join('').slice(before);
  };
  assert.equal(await warnings(), '');
  await enterLicense(app, issuer);
  assert.equal(await warnings(), '');
  await enterLicense(app, makeIssuer());
  assert.match(
    await warnings(),
    /STITHY_LICENSE_ISSUER is the key of another issuer: stored licenses have no effect.*"licenses":1/,
  );
  app.deps.config.licenseIssuer = null;
  assert.match(await warnings(), /STITHY_LICENSE_ISSUER is not set.*"licenses":2/);
  await app.close();
});
