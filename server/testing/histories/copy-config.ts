/** Runs the histories of a copy of the service. */
import config from '../long-config.ts'

export default {
  ...config,
  test: { ...config.test, globalSetup: 'server/testing/histories/copy-setup.ts' },
}
