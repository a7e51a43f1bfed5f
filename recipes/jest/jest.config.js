module.exports = {
  globalSetup: './stithy.setup.js',
  globalTeardown: './stithy.teardown.js',
  setupFilesAfterEnv: ['./stithy.reset.js'],
};
